import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { quoted, UsageError } from "../exit-codes.ts";
import { loginConfig, mcpFlags } from "../mcp/mcp-flags.ts";
import { sessionFlags } from "../session-flags.ts";

/** `troupe mcp`: the MCP servers of this directory. */
export const mcpCommand: Command = {
  name: "mcp",
  usage: [
    "mcp list [--trust] [--json]",
    "mcp get NAME [--trust] [--json]",
    "mcp add NAME [--scope SCOPE] [--env NAME=VALUE] -- COMMAND [ARGUMENT …]",
    "mcp add NAME [--scope SCOPE] [--header 'NAME: VALUE'] ADDRESS",
    "mcp add-json NAME JSON [--scope SCOPE]",
    "mcp remove NAME [--scope SCOPE]",
    "mcp login NAME [--trust]",
    "mcp logout NAME",
  ],
  summary: "show, add and remove MCP servers, and sign in at them",
  details: [
    "list and get start the servers that count here, ask them what they have, and end them.",
    "Servers of a directory that is not trusted are named and not started.",
    "Values may name variables of the environment, as .mcp.json does: a dollar sign and the name in braces.",
    "login prints the address of a page to open in a browser on this machine, and waits until you have signed in there.",
    "serve makes Troupe a server for other programs, with flags of its own: troupe mcp serve --help.",
  ],
  options: [
    ...Object.values(mcpFlags),
    loginConfig,
    sessionFlags.pluginDir,
    sessionFlags.trust,
    sessionFlags.cwd,
  ],
  examples: [
    [
      "troupe mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
      "a program, for this directory",
    ],
    [
      "troupe mcp add --scope project tracker https://tracker.example/mcp",
      "an address, for all who work on it",
    ],
    ["troupe mcp list", "the servers and their status"],
    ["troupe mcp login tracker", "sign in at a server that asks for it"],
  ],
  run: runMcp,
};

async function runMcp(args: Arguments, context: Context): Promise<number> {
  const [action, name = "", ...rest] = args.positionals;
  const isNamed = (usage: string, exactly?: number) => {
    const fits = exactly === undefined ? rest.length > 0 : rest.length === exactly;
    if (name === "" || !fits) throw new UsageError(`Write it as troupe mcp ${usage}.`);
  };
  switch (action) {
    case "list": {
      if (args.positionals.length > 1) throw new UsageError("Write it as troupe mcp list.");
      return (await import("../mcp/show-servers.ts")).listServers(args, context);
    }
    case "get": {
      isNamed("get NAME", 0);
      return (await import("../mcp/show-servers.ts")).showServer(name, args, context);
    }
    case "add": {
      isNamed("add NAME -- COMMAND, or troupe mcp add NAME ADDRESS");
      return (await import("../mcp/edit-servers.ts")).addServer(name, rest, args, context);
    }
    case "add-json": {
      isNamed("add-json NAME JSON, with quotes around the JSON", 1);
      return (await import("../mcp/edit-servers.ts")).addJson(name, rest[0] ?? "", args, context);
    }
    case "remove": {
      isNamed("remove NAME", 0);
      return (await import("../mcp/edit-servers.ts")).removeServer(name, args, context);
    }
    case "login": {
      isNamed("login NAME", 0);
      return (await import("../mcp/sign-in.ts")).signInAt(name, args, context);
    }
    case "logout": {
      isNamed("logout NAME", 0);
      return (await import("../mcp/sign-in.ts")).signOutAt(name, args, context);
    }
    case "serve":
      throw new UsageError("Write it as troupe mcp serve, with its flags after it.");
    default:
      throw new UsageError(
        action === undefined
          ? "mcp needs to know what to do: mcp list, get, add, add-json, remove, login, logout or serve."
          : `mcp cannot ${quoted(action)}; it can list, get, add, add-json, remove, login, logout and serve.`,
      );
  }
}
