import type { Command } from "../command.ts";
import { exitCodes, quoted, UsageError } from "../exit-codes.ts";
import { agentsCommand } from "./agents.ts";
import { configCommand } from "./config.ts";
import { contextCommand } from "./context.ts";
import { conversationCommand } from "./conversation.ts";
import { cronCommand } from "./cron.ts";
import { doctorCommand } from "./doctor.ts";
import { engineCommand } from "./engine.ts";
import { fanoutCommand } from "./fanout.ts";
import { mcpCommand } from "./mcp.ts";
import { permissionsCommand } from "./permissions.ts";
import { pluginCommand } from "./plugin.ts";
import { promptCommand } from "./prompt.ts";
import { runCommand } from "./run.ts";
import { runnerCommand, runnersCommand } from "./runners.ts";
import { acpCommand, mcpServeCommand } from "./serve.ts";
import { inboxCommand, sessionsCommand, topCommand } from "./sessions.ts";
import { startCommand } from "./start.ts";
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

/** `troupe completion`: a script for the user's shell. `all` returns the commands that it completes. */
export function completionCommand(all: () => readonly Command[], prompt: Command): Command {
  return {
    name: "completion",
    usage: ["completion bash|zsh|fish"],
    takes: "SHELL",
    summary: "print a script that completes commands and flags in your shell",
    details: ["Write it to where your shell looks for completions; the script's first line says where."],
    options: [],
    examples: [
      ["source <(troupe completion bash)", "try it in this shell"],
      ["troupe completion fish > ~/.config/fish/completions/troupe.fish", "keep it"],
    ],
    async run({ positionals: [shell = ""] }, { io }) {
      const { completionScript, SHELLS } = await import("../completion.ts");
      const known = SHELLS.find((one) => one === shell);
      if (known === undefined)
        throw new UsageError(
          `There is no completion for ${quoted(shell)}; there is one for ${SHELLS.join(", ")}.`,
        );
      await io.stdout.write(completionScript(known, all(), prompt));
      return exitCodes.done;
    },
  };
}
