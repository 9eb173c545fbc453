import { withSubcommands } from "../command.ts";
import { UsageError } from "../exit-codes.ts";
import { loginConfig, mcpFlags } from "../mcp/mcp-flags.ts";
import { sessionFlags } from "../session-flags.ts";

const { scope, transport, env, header, json } = mcpFlags;
const { pluginDir, trust, cwd } = sessionFlags;

/** `troupe mcp`: the MCP servers of this directory. */
export const mcpCommand = withSubcommands({
  name: "mcp",
  summary: "show, add and remove MCP servers, and sign in at them",
  details: [
    "list and get start the servers that count here, ask them what they have, and end them.",
    "add takes the address of a server, or after -- the program that is one, with its arguments.",
    "Servers of a directory that is not trusted are named and not started.",
    "Values may name variables of the environment, as .mcp.json does: a dollar sign and the name in braces.",
    "login prints the address of a page to open in a browser on this machine, and waits until you have signed in there.",
    "serve makes Troupe a server for other programs, with flags of its own: troupe mcp serve --help.",
  ],
  options: [pluginDir, trust, cwd],
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
  subcommands: {
    list: {
      options: [json],
      run: async (_, args, context) => (await import("../mcp/show-servers.ts")).listServers(args, context),
    },
    get: {
      takes: "NAME",
      options: [json],
      run: async ([name = ""], args, context) =>
        (await import("../mcp/show-servers.ts")).showServer(name, args, context),
    },
    add: {
      takes: "NAME [ADDRESS|COMMAND…]",
      options: [scope, transport, env, header],
      async run([name = "", ...words], args, context) {
        if (words.length === 0)
          throw new UsageError("Write it as troupe mcp add NAME -- COMMAND, or troupe mcp add NAME ADDRESS.");
        return (await import("../mcp/edit-servers.ts")).addServer(name, words, args, context);
      },
    },
    "add-json": {
      takes: "NAME JSON",
      options: [scope],
      run: async ([name = "", text = ""], args, context) =>
        (await import("../mcp/edit-servers.ts")).addJson(name, text, args, context),
    },
    remove: {
      takes: "NAME",
      options: [scope],
      run: async ([name = ""], args, context) =>
        (await import("../mcp/edit-servers.ts")).removeServer(name, args, context),
    },
    login: {
      takes: "NAME",
      options: [loginConfig],
      run: async ([name = ""], args, context) =>
        (await import("../mcp/sign-in.ts")).signInAt(name, args, context),
    },
    logout: {
      takes: "NAME",
      options: [loginConfig],
      run: async ([name = ""], args, context) =>
        (await import("../mcp/sign-in.ts")).signOutAt(name, args, context),
    },
    serve: {
      run() {
        throw new UsageError("Write it as troupe mcp serve, with its flags after it.");
      },
    },
  },
});
