import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { quoted, UsageError } from "../usage-error.ts";

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
