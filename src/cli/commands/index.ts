import type { Command } from "../command.ts";
import { acpCommand } from "./acp.ts";
import { agentsCommand } from "./agents.ts";
import { completionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { contextCommand } from "./context.ts";
import { conversationCommand } from "./conversation.ts";
import { cronCommand } from "./cron.ts";
import { doctorCommand } from "./doctor.ts";
import { engineCommand } from "./engine.ts";
import { fanoutCommand } from "./fanout.ts";
import { inboxCommand } from "./inbox.ts";
import { mcpCommand } from "./mcp.ts";
import { mcpServeCommand } from "./mcp-serve.ts";
import { permissionsCommand } from "./permissions.ts";
import { pluginCommand } from "./plugin.ts";
import { promptCommand } from "./prompt.ts";
import { runCommand } from "./run.ts";
import { runnerCommand, runnersCommand } from "./runners.ts";
import { sessionsCommand } from "./sessions.ts";
import { startCommand } from "./start.ts";
import { topCommand } from "./top.ts";
import { undoCommand } from "./undo.ts";
import { worktreesCommand } from "./worktrees.ts";

/** Commands by name, in the order help lists them. */
export const namedCommands: readonly Command[] = [
  fanoutCommand,
  runCommand,
  startCommand,
  agentsCommand,
  sessionsCommand,
  inboxCommand,
  topCommand,
  worktreesCommand,
  undoCommand,
  cronCommand,
  contextCommand,
  configCommand,
  permissionsCommand,
  doctorCommand,
  engineCommand,
  mcpCommand,
  mcpServeCommand,
  acpCommand,
  runnerCommand,
  runnersCommand,
  pluginCommand,
  completionCommand(() => namedCommands, promptCommand),
];

/** All of them: the conversation and `-p` have no name. */
export const commands: readonly Command[] = [conversationCommand, promptCommand, ...namedCommands];
