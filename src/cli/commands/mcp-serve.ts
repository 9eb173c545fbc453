import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { permissionPromptTool, sessionOptions } from "../session-flags.ts";
import { quoted, UsageError } from "../usage-error.ts";
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
