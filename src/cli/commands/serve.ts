import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { quoted, UsageError } from "../exit-codes.ts";
import { mainOptions, permissionPromptTool, sessionFlags, sessionOptions } from "../session-flags.ts";
import { concurrency, isolationFlag, mergeFlag } from "./fanout.ts";

/** `troupe mcp serve`: Troupe as an MCP server. */
export const mcpServeCommand: Command = {
  name: "mcp serve",
  usage: ["mcp serve [flags]"],
  summary: "be an MCP server: other programs run agents through it",
  details: [
    "A client such as an editor starts it and speaks MCP with it on stdin and stdout; what is for people goes to stderr.",
    "It offers spawn_agent, fan_out, agent_result, continue_agent, stop_agents, list_agents and list_agent_types.",
    "What agents may do is decided by these flags and by settings, as for fanout; a client that can ask its person (elicitation) is asked, and without one whatever would be a question is refused.",
    "When the client goes, everything ends; agents still at work can be resumed with --resume.",
  ],
  options: [concurrency, isolationFlag, mergeFlag, permissionPromptTool, ...sessionOptions],
  examples: [
    ["claude mcp add troupe -- troupe mcp serve", "agents for another program, in the directory it works in"],
    [
      "troupe mcp serve --cwd ~/project --permission-mode acceptEdits --max-budget-usd 5",
      "agents that edit there, for at most 5 dollars per connection",
    ],
  ],
  run: runMcpServe,
};

async function runMcpServe(args: Arguments, context: Context): Promise<number> {
  const [word] = args.positionals;
  if (word !== undefined)
    throw new UsageError(
      `mcp serve takes flags only, and no ${quoted(word)}; tasks come from the client that starts it.`,
    );
  const { serveMcp } = await import("../mcp-serve/serve.ts");
  return serveMcp(args, context);
}

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
