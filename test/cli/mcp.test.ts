// @module-tag long
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { children, server } from "../mcp/opened-mcp.ts";
import { type Files, type Folders, foldersWith, put } from "../settings/folders.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

async function mcp(folders: Folders, ...words: string[]) {
  const { homedir, root, managed } = folders;
  const { PATH = "" } = process.env;
  const io = Object.assign(new FakeIO({ homedir, cwd: root, env: { PATH } }), {
    ...{ managedSettings: managed, clock: systemClock },
  });
  const before = children();
  const code = await main(["mcp", ...words], io, new FakeRuntime());
  expect(children(), "processes that are left").toEqual(before);
  return { code, out: io.out.text, err: io.err.text };
}

const written = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const projectFile = ({ root }: Folders) => join(root, ".mcp.json");

describe("troupe mcp add, add-json and remove", () => {
  test.each([
    [["add", "a", "--", "npx", "-y", "it"], "local", { type: "stdio", command: "npx", args: ["-y", "it"] }],
    [
      ["add", "a", "--scope", "user", "-e", "T=a=b", "--env", "U=", "it"],
      "user",
      { type: "stdio", command: "it", args: [], env: { T: "a=b", U: "" } },
    ],
    [
      ["add", "a", "-s", "project", "-H", "Authorization: Bearer x", "https://a.example/mcp"],
      "project",
      { type: "http", url: "https://a.example/mcp", headers: { Authorization: "Bearer x" } },
    ],
    [
      ["add", "a", "-t", "sse", "http://a.example/sse"],
      "local",
      { type: "sse", url: "http://a.example/sse" },
    ],
    [
      ["add-json", "a", '{"command":"it","timeout":5}', "--scope", "user"],
      "user",
      { command: "it", timeout: 5 },
    ],
  ] as const)("%j is written for %s", async (words, scope, entry) => {
    const folders = foldersWith({});
    const file = scope === "project" ? projectFile(folders) : folders.fileOf(scope);
    const ended = await mcp(folders, ...words);
    expect(ended).toMatchObject({ code: 0, out: "" });
    expect(ended.err).toContain(`The MCP server "a" is in ${file} now.`);
    expect(ended.err.includes("once you trust this directory")).toBe(scope !== "user");
    expect(written(file)).toEqual({ mcpServers: { a: entry } });
    expect(await mcp(folders, ...words)).toMatchObject({ code: 2, err: expect.stringContaining("already") });
    expect((await mcp(folders, "remove", "a")).err).toBe(`The MCP server "a" is no longer in ${file}.\n`);
    expect(written(file)).toEqual({ mcpServers: {} });
  });

  test("what else is in a file stays, comments too", async () => {
    const folders = foldersWith({});
    put(projectFile(folders), '{\n  // ours\n  "mcpServers": {\n    "b": { "command": "b" }\n  }\n}\n');
    await mcp(folders, "add", "a.b", "--scope", "project", "it");
    const text = readFileSync(projectFile(folders), "utf8");
    expect(text).toContain("// ours");
    expect(text).toMatch(/"b": \{\s*"command": "b"\s*\}/);
    expect(text).toContain('"a.b": {');
  });

  test("a variable that is set elsewhere is no reason to write nothing", async () => {
    const folders = foldersWith({});
    const header = `Authorization: Bearer ${"$"}{TOKEN_1} ${"$"}{OTHER_1:-x}`;
    const ended = await mcp(folders, "add", "a", "-s", "project", "-H", header, "https://a.example/mcp");
    expect(ended).toMatchObject({ code: 0, err: expect.stringContaining("TOKEN_1 is not set here") });
    expect(ended.err).not.toContain("OTHER_1");
    expect(written(projectFile(folders))).toMatchObject({ mcpServers: { a: { type: "http" } } });
  });

  test("a name in several files is not guessed", async () => {
    const servers = { mcpServers: { a: { command: "it" } } };
    const folders = foldersWith({ user: servers, local: servers });
    expect(await mcp(folders, "remove", "a")).toMatchObject({
      ...{ code: 2, err: expect.stringContaining("add --scope local or --scope user") },
    });
    expect(await mcp(folders, "remove", "a", "--scope", "user")).toMatchObject({ code: 0 });
    expect(written(folders.fileOf("local"))).toEqual(servers);
  });

  test.each([
    [[], "mcp needs a subcommand: list, get, add, "],
    [["ad"], 'mcp has no subcommand "ad"; did you mean mcp add?'],
    [["add", "a"], "Write it as troupe mcp add NAME"],
    [["add", "a", "-t", "http", "it"], "needs one address"],
    [["add", "a", "-e", "T", "it"], "has no name and value"],
    [["add", "a", "-H", "A: b", "it"], "--header is for servers with an address"],
    [["add", "a", "-e", "A=b", "https://a.example"], "--env is for servers that are programs"],
    [["add", "a", "ftp://a.example"], "ftp://a.example is not the address of a server"],
    [["add-json", "a", "{oops"], "is not JSON"],
    [["add-json", "a", "5"], "is not a JSON object"],
    [["add-json", "a", "{}"], "neither a command nor a url"],
    [["remove", "zzz"], 'There is no MCP server "zzz"'],
    [["get", "zzz"], 'There is no MCP server "zzz"'],
  ])("%j is wrong usage, and nothing is written", async (words, sentence) => {
    const folders = foldersWith({});
    expect(await mcp(folders, ...words)).toMatchObject({ code: 2, err: expect.stringContaining(sentence) });
    expect(existsSync(folders.fileOf("local"))).toBe(false);
  });

  test("a broken file is left as it is", async () => {
    const folders = foldersWith({});
    put(projectFile(folders), "{ oops");
    expect(await mcp(folders, "add", "a", "-s", "project", "it")).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("It was not changed") },
    });
    expect(readFileSync(projectFile(folders), "utf8")).toBe("{ oops");
  });
});

describe("troupe mcp list and get", () => {
  const files: Files = {
    user: { mcpServers: { good: server("good.ts"), broken: { command: "no-such-program" } } },
    local: { mcpServers: { good: server("raw.ts") } },
  };

  test("each server with where it stands and how it is; what is not trusted is named and not started", {
    tags: ["long"],
  }, async () => {
    const folders = foldersWith(files);
    const mark = join(folders.root, "canary");
    const args = ["-e", `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`];
    put(projectFile(folders), { mcpServers: { evil: { command: process.execPath, args } } });
    const { code, out } = await mcp(folders, "list");
    expect(code).toBe(1);
    const line = (name: string) => out.split("\n").filter((one) => one.startsWith(`${name}:`));
    expect(line("good")).toEqual([
      expect.stringMatching(/ - connected, 11 tools \(.*home.*settings\.json\)$/),
      expect.stringMatching(/ - not started: the entry of .*home.* is used \(.*settings\.local\.json\)$/),
    ]);
    expect(line("broken")).toEqual([expect.stringContaining("failed:")]);
    expect(line("evil")).toEqual([expect.stringContaining("this directory is not trusted")]);
    expect(existsSync(mark)).toBe(false);
  });

  test("reports invalid tools of a server, and those that no request can contain", {
    tags: ["long"],
  }, async () => {
    const folders = foldersWith({
      user: { mcpServers: { liar: server("raw.ts", "liar"), odd: server("raw.ts", "unfit-schemas") } },
    });
    const { err } = await mcp(folders, "list");
    expect(err).toContain('The MCP server "liar" offers a tool "noSchema" whose inputSchema is not as');
    const { out } = await mcp(folders, "get", "odd");
    expect(out).toContain("state: connected, 3 tools");
    expect(out).toContain(
      "through ToolSearch: mcp__odd__either (it has oneOf at its top), mcp__odd__nonsense (",
    );
  });

  test("get names the tools of one, and starts no other", { tags: ["long"] }, async () => {
    const folders = foldersWith(files);
    const { code, out } = await mcp(folders, "get", "good", "--trust");
    expect(code).toBe(0);
    expect(out).toContain("state: connected, 6 tools");
    expect(out).toContain("mcp__good__hello");
    const [own, local] = JSON.parse((await mcp(folders, "get", "good", "--json")).out);
    expect(own).toMatchObject({ works: true, tools: expect.arrayContaining(["mcp__good__echo"]) });
    expect(local).toMatchObject({ entry: server("raw.ts"), tools: [] });
    const missed = await mcp(folders, "get", "goood");
    expect(missed).toMatchObject({ code: 2, err: expect.stringContaining("did you mean good?") });
  });

  test("a server of .mcp.json that the user has disabled stays so; an approval of the directory itself is ignored", async () => {
    const folders = foldersWith({
      local: { disabledMcpjsonServers: ["off"], enabledMcpjsonServers: ["on"] },
    });
    const nowhere = { command: "no-such-program" };
    put(projectFile(folders), { mcpServers: { off: nowhere, on: nowhere } });
    expect((await mcp(folders, "list")).out).toMatch(/^(?:o\w+: .*is not trusted.*\n){2}$/);
    const trusted = (await mcp(folders, "list", "--trust")).out;
    expect(trusted).toMatch(/^off: .* - not started: settings disable it/m);
    expect(trusted).toMatch(/^on: .* - failed/m);
  });

  test("a row says its server and its file once, whatever is wrong with it", async () => {
    const entry = { command: "no-such-program" };
    const folders = foldersWith({ local: { mcpServers: { a_b: entry, both: entry } } });
    const file = projectFile(folders);
    put(file, {
      mcpServers: { gone: entry, bare: {}, unset: { command: `${"$"}{NOPE_1}` }, "a b": entry, both: entry },
    });
    const { out } = await mcp(folders, "list", "--trust");
    const rows = out.trimEnd().split("\n");
    expect(rows).toHaveLength(7);
    for (const row of rows) {
      const { name = "", where = "" } = /^(?<name>.*?): .* \((?<where>\/\S+)\)$/.exec(row)?.groups ?? {};
      expect(row.split(where)).toHaveLength(2);
      expect(row).not.toContain(`"${name}"`);
    }
    expect(out).toMatch(/^gone: no-such-program - failed: could not be started: /m);
    expect(out).toMatch(/^bare: \? - not started: it has neither a command nor a url\. \(/m);
    const { state } = JSON.parse((await mcp(folders, "get", "bare", "--json", "--trust")).out)[0];
    expect(state).toBe("not started: it has neither a command nor a url.");
  });

  test("a server in ~/.claude.json for every directory and for this one is one row, or two that differ", async () => {
    const folders = foldersWith({});
    const [one, other] = [{ command: "no-such-program" }, { command: "no-other-program" }];
    put(join(folders.homedir, ".claude.json"), {
      mcpServers: { same: one, mine: one },
      projects: { [folders.root]: { mcpServers: { same: one, mine: other } } },
    });
    const { out } = await mcp(folders, "list");
    const rows = out.trimEnd().split("\n");
    expect(rows.filter((row) => row.startsWith("same: "))).toHaveLength(1);
    expect(rows.filter((row) => row.startsWith("mine: "))).toEqual([
      expect.stringContaining("- not started: the entry for this directory in the same file is used ("),
      expect.stringContaining("no-other-program - failed: "),
    ]);
  });

  test("prints nothing on stdout without servers", async () => {
    expect(await mcp(foldersWith({}), "list")).toMatchObject({ code: 0, out: "" });
  });
});
