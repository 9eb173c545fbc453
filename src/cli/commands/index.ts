import type { Command } from "../command.ts";
import { agentsCommand } from "./agents.ts";
import { fanoutCommand } from "./fanout.ts";
import { promptCommand } from "./prompt.ts";
import { sessionsCommand } from "./sessions.ts";
import { startCommand } from "./start.ts";

/** Commands by name, in the order help lists them. */
export const namedCommands: readonly Command[] = [
  fanoutCommand,
  startCommand,
  agentsCommand,
  sessionsCommand,
];

/** All of them: `-p` is the one without a name. */
export const commands: readonly Command[] = [promptCommand, ...namedCommands];
