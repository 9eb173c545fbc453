import { choice, flag, repeated } from "../option.ts";
import { sessionFlags } from "../session-flags.ts";

/** What `troupe mcp` takes. */
export const mcpFlags = {
  scope: choice({
    name: "scope",
    short: "s",
    choices: ["local", "project", "user"],
    summary: "whose file: .claude/settings.local.json, .mcp.json, ~/.claude/settings.json",
    fallback: "for add and add-json local; for remove the one it stands in",
  }),
  transport: choice({
    name: "transport",
    short: "t",
    choices: ["stdio", "http", "sse"],
    summary: "how it is spoken to",
    fallback: "http where an address is given, else stdio",
  }),
  env: repeated({
    name: "env",
    short: "e",
    value: "NAME=VALUE",
    summary: "a variable the server gets; may be repeated",
  }),
  header: repeated({
    name: "header",
    short: "H",
    value: "NAME: VALUE",
    summary: "a header of every request to it; may be repeated",
  }),
  json: flag({ name: "json", summary: "print JSON" }),
} as const;

/** Servers that stand in no settings can be signed in at, too. */
export const loginConfig: typeof sessionFlags.mcpConfig = {
  ...sessionFlags.mcpConfig,
  summary: "for login and logout: MCP servers besides those of files, as in .mcp.json; may be repeated",
};
