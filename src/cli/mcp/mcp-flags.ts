import { choice, repeated } from "../option.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";

/** The flags of `troupe mcp`. */
export const mcpFlags = {
  scope: choice({
    name: "scope",
    short: "s",
    choices: ["local", "project", "user"],
    summary: "the file: .claude/settings.local.json, .mcp.json, ~/.claude/settings.json",
    fallback: "for add and add-json local; for remove the file that has it",
  }),
  transport: choice({
    name: "transport",
    short: "t",
    choices: ["stdio", "http", "sse"],
    summary: "the transport",
    fallback: "http with an address, else stdio",
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
  json: jsonFlag,
} as const;

/** A sign-in works for servers that are not in settings, too. */
export const loginConfig: typeof sessionFlags.mcpConfig = {
  ...sessionFlags.mcpConfig,
  summary: "for login and logout: further MCP servers, as in .mcp.json; may be repeated",
};
