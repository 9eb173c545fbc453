import type { Command } from "../command.ts";
import { mainOptions, permissionPromptTool, sessionFlags, sessionOptions } from "../session-flags.ts";

/** `troupe acp`: Troupe as an agent of an editor. */
export const acpCommand: Command = {
  name: "acp",
  usage: ["acp [flags]"],
  takes: "",
  summary: "be the agent of an editor that speaks ACP (Agent Client Protocol)",
  details: [
    "The editor starts it, and speaks ACP with it on stdin and stdout; what is for people goes to stderr.",
    "Each session of the editor is a session of its own, in the directory that the editor names; the flags hold for all.",
    "When the editor goes, everything ends; a session can be loaded again, there or with troupe --resume ID.",
  ],
  options: [
    permissionPromptTool,
    ...mainOptions,
    // The editor names it.
    ...sessionOptions.filter((option) => option !== sessionFlags.cwd),
  ],
  examples: [
    ["troupe acp", "what an editor starts; docs/acp.md shows its settings"],
    ["troupe acp --permission-mode acceptEdits --max-budget-usd 5", "for at most 5 dollars a session"],
  ],
  async run(args, context) {
    const { serveAcp } = await import("../acp/serve-acp.ts");
    return serveAcp(args, context);
  },
};
