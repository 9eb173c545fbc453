import { describe, expect, test } from "vitest";
import { callsSkill, runSlashCommand } from "../../../src/cli/repl/slash-commands.ts";
import type { ServerService } from "../../../src/features/servers/index.ts";
import type { ChangedTool, McpTool, ServerStatus } from "../../../src/mcp/mcp.ts";
import { ownFiles, slashContext } from "./slash-ground.ts";

const status = (
  name: string,
  state: ServerStatus["state"],
  more: Partial<ServerStatus> = {},
): ServerStatus => ({
  ...{ name, slug: name.replaceAll(" ", "_"), file: "/f", tools: 3, changed: [], state },
  ...more,
});
const tool = (description: string, digest: string): McpTool => ({
  ...{ name: "mcp__maps__find", tool: "find", slug: "maps", description, digest, readOnly: false },
  inputSchema: { type: "object" },
});
const connected = { type: "connected" } as const;
const there = [
  status("maps", connected, { changed: ["mcp__maps__find"] }),
  status("my mail", { type: "needs-auth", reason: "R." }),
  status("old", {
    type: "failed",
    reason: 'The MCP server "old" (/f) could not be started: gone\u001b[31m.',
  }),
  status("again", { type: "starting", reason: 'The MCP server "again" exited with code 1.' }),
  status("slow", { type: "starting" }),
];
const prompts: ReturnType<ServerService["prompts"]> = [
  {
    ...{ name: "mcp__maps__route", server: "maps", description: "A way.\u001b[31m" },
    arguments: [
      { name: "from", required: true },
      { name: "to", required: false },
    ],
  },
];

function said(
  line: string,
  service: Partial<ServerService> = {},
  lines: string[] = [],
): Promise<string | null> {
  const own = ownFiles({ cwd: "/w", homedir: "/w", managed: "/w/none" });
  const none = slashContext(own).session.mcp;
  const context = slashContext(own, {
    mcpServers: () => there,
    serversLeftOut: () => ({ "their's": "this directory is not trusted\u001b[31m" }),
    skills: () => [],
    mcp: { ...none, prompts: () => prompts, changes: () => [], ...service },
  });
  return runSlashCommand(line, { ...context, say: (row) => void lines.push(row) });
}

describe("/mcp (A17)", () => {
  test("shows the status of each server and the available actions", async () => {
    expect((await said("/mcp"))?.split("\n")).toEqual([
      "maps: connected, 3 tools, 1 prompt; 1 tool has changed and is refused: /mcp changes maps shows them",
      "my mail: wants you to sign in: /mcp login my_mail",
      "old: failed: could not be started: gone. /mcp restart old tries again.",
      "again: starting again: exited with code 1.",
      "slow: starting",
      "their's: not started: this directory is not trusted",
    ]);
    expect(await said("/mcp restart their's")).toBe(
      'The MCP server "their\'s" is not started: this directory is not trusted.',
    );
  });

  test("login shows the whole address and its result", async () => {
    const url = `https://sign.in/${"x".repeat(500)}`;
    const lines: string[] = [];
    const signIn: ServerService["signIn"] = async (_, show) => {
      show(url);
      return { ok: true, value: null };
    };
    expect(await said("/mcp login my mail", { signIn }, lines)).toBe(
      'You are signed in, but the MCP server "my mail" is not connected. R.',
    );
    expect(lines).toEqual([expect.stringContaining("in a browser on this machine"), url]);
    const refused: ServerService["signIn"] = async () => ({ ok: false, message: "It said no." });
    expect(await said('/mcp login "my mail"', { signIn: refused })).toBe("It said no.");
    expect(await said("/mcp login maps")).toContain("If you have signed in, /mcp logout maps forgets that.");
  });

  test("logout and restart show their results", async () => {
    const signOut: ServerService["signOut"] = async () => ({
      ...{ ok: true, value: { wasSignedIn: true, stillValid: "Its tokens are still valid." } },
    });
    const restart: ServerService["restart"] = async () => ({ ok: true, value: null });
    expect(await said("/mcp logout maps", { signOut })).toBe(
      'You are no longer signed in at the MCP server "maps". Its tokens are still valid.',
    );
    expect(await said("/mcp restart old", { restart })).toBe('The MCP server "old" is connected (3 tools).');
  });

  test("nothing is accepted that was not shown just so", async () => {
    let changes: ChangedTool[] = [{ accepted: tool("finds", "1"), now: tool("sends\u200b keys", "2") }];
    const accepted: unknown[] = [];
    const service: Partial<ServerService> = {
      changes: () => changes,
      accept(_, shown) {
        accepted.push(shown);
        return shown.map(({ now }) => now.name);
      },
    };
    const shown = await said("/mcp changes maps", service);
    expect(shown).toContain("description, before: finds");
    // What cannot be seen is made visible.
    expect(shown).toMatch(/description, now: sends\S+ keys/);
    expect(shown).not.toContain("\u200b");
    const [, line = ""] = /(\/mcp accept maps [0-9a-f]{8}) takes them/.exec(shown ?? "") ?? [];
    expect(await said("/mcp accept maps", service)).toBe(shown);
    const before = changes;
    changes = [{ accepted: tool("finds", "1"), now: tool("deletes", "3") }];
    expect(await said(line, service)).toContain("description, now: deletes");
    expect(accepted).toEqual([]);
    changes = before;
    expect(await said(line, service)).toBe("Used as they are now: mcp__maps__find.");
    expect(accepted).toEqual([changes]);
  });

  test.each([
    ["/mcp login", "Name the server. There are: maps, my mail, old, again, slow."],
    ["/mcp login nobody", 'There is no MCP server "nobody". There are: maps, my mail, old, again, slow.'],
    ["/mcp accept maps abc", "The code to accept is the last line of /mcp changes, 8 digits and letters."],
    ["/mcp dance", '/mcp cannot "dance"; it can login'],
    ["/mcp dance maps", '/mcp cannot "dance"; it can login, logout, restart, changes and accept'],
    ["/mcp changes old", 'No tool of the MCP server "old" has changed'],
  ])("%s", async (line, sentence) => {
    expect(await said(line)).toContain(sentence);
  });

  test("prompts of servers are in /skills and /help, and are the session's to answer", async () => {
    expect(await said("/skills")).toBe("/mcp__maps__route <from> [to]: A way. (the MCP server maps's)");
    expect(await said("/help")).toContain("/mcp__maps__route <from> [to]: A way.");
    expect(callsSkill("/mcp__maps__route here", [], true)).toBe(true);
    expect(callsSkill("/mcp__maps__route here", [], false)).toBe(false);
    expect(callsSkill("/mcp", [], true)).toBe(false);
  });
});
