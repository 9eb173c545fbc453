import type { Command } from "../command.ts";
import {
  jsonFlag,
  limitPatience,
  permissionPromptTool,
  resumeFlags,
  runFlags,
  sessionOptions,
} from "../session-flags.ts";
import { concurrency } from "./fanout.ts";

/** `troupe run`: an orchestration script. */
export const runCommand: Command = {
  name: "run",
  usage: ["run FILE|NAME [--arg KEY=VALUE …] [flags]", "run [FILE] --resume ID [--force CALL …] [flags]"],
  takes: "[FILE]",
  summary: "run an orchestration script: agents that plain JavaScript starts, and nothing is paid for twice",
  details: [
    "FILE is JavaScript or TypeScript; NAME is a script in .claude/workflows of this directory or of your home.",
    "What the script returns goes to stdout. The exit code is 0 if it returns, whatever its agents have found.",
    "A run that was cut off, failed or was edited is resumed with --resume: calls that have finished are answered from the journal, agents that were at work continue, and only what is new or has failed runs.",
  ],
  options: [
    resumeFlags.resume,
    ...Object.values(runFlags),
    concurrency,
    jsonFlag,
    limitPatience,
    permissionPromptTool,
    ...sessionOptions,
  ],
  examples: [
    ["troupe run review.ts --arg branch=main", "a script with one argument"],
    ["troupe run audit --max-budget-usd 5", ".claude/workflows/audit.ts, within a budget"],
    ["troupe run --resume 3fk2", "what is left of a run that was cut off"],
  ],
  async run(args, context) {
    const { runScriptFile } = await import("../script-session.ts");
    return runScriptFile(args, context);
  },
};
