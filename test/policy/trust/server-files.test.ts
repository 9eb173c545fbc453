import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { settingsReader } from "../../../src/policy/trust/trust.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { put } from "../../settings/folders.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const one = { command: "one" };

function placed(files: Readonly<Record<string, unknown>>) {
  const base = temporaryFolder();
  const source = {
    ...userPlaces({}, join(base, "home")),
    root: join(base, "project"),
    home: join(base, "troupe"),
  };
  for (const [path, value] of Object.entries(files)) put(join(base, path), value);
  return { source, reader: (trusts: boolean) => settingsReader(source, trusts), base };
}

describe("MCP servers in files other than settings", () => {
  test("faults-and-threats §7: those of .mcp.json are a grant, named with what they run; none of them counts before", async () => {
    const { reader } = placed({ "project/.mcp.json": { mcpServers: { db: { command: "./db.sh" } } } });
    const { trust, settings, warnings } = await reader(false).read();
    expect(trust).toMatchObject({
      type: "untrusted",
      grants: [{ words: "start the MCP server db: ./db.sh" }],
    });
    expect(settings.mcpServers).toEqual({});
    expect(warnings).toEqual([]);
  });

  test("a project's settings cannot approve them", async () => {
    const { reader } = placed({
      "project/.mcp.json": { mcpServers: { db: one } },
      "project/.claude/settings.json": { enableAllProjectMcpServers: true, enabledMcpjsonServers: ["db"] },
    });
    expect((await reader(false).read()).settings.mcpServers).toEqual({});
  });

  test("trusted they count; one that is changed then asks again (fault 60)", async () => {
    const { reader, base } = placed({ "project/.mcp.json": { mcpServers: { db: one } } });
    const trusting = reader(true);
    expect((await trusting.read()).settings.mcpServers).toEqual({ db: one });
    put(join(base, "project/.mcp.json"), { mcpServers: { db: { command: "two" } } });
    const { trust, settings } = await trusting.read();
    expect(trust).toMatchObject({ type: "untrusted", fresh: [{ words: expect.stringContaining("two") }] });
    expect(settings.mcpServers).toEqual({});
  });

  test("the user's own count without a question; of one name the nearer file's counts", async () => {
    const { reader, source } = placed({
      "home/.claude/settings.json": { mcpServers: { a: { command: "settings" } } },
      "project/.mcp.json": { mcpServers: { a: { command: "project" }, b: { command: "project" } } },
      "project/.claude/settings.local.json": { mcpServers: { d: { command: "local" } } },
    });
    put(join(source.homedir, ".claude.json"), {
      numStartups: 5,
      mcpServers: { a: { command: "own" }, c: { command: "own" } },
      projects: {
        [source.root]: { mcpServers: { b: { command: "here" } } },
        "/other": { mcpServers: { e: one } },
      },
    });
    const named = async (trusts: boolean) =>
      Object.entries((await reader(trusts).read()).settings.mcpServers).map(
        ([name, { command }]) => `${name} ${String(command)}`,
      );
    expect((await named(false)).sort()).toEqual(["a own", "b here", "c own"]);
    expect((await named(true)).sort()).toEqual(["a project", "b here", "c own", "d local"]);
  });

  test("A18.1: nothing else in them counts, and a broken .mcp.json is named with its line and takes no other down", async () => {
    const { reader, base } = placed({
      "home/.claude.json": { mcpServers: {}, permissions: { allow: ["Bash"] }, model: "opus" },
      "project/.mcp.json": { mcpServers: { a: one }, permissions: { allow: ["Bash"] }, inputs: [] },
    });
    const { rules, settings, warnings } = await reader(true).read();
    expect([rules, settings.model, warnings]).toEqual([[], undefined, []]);
    put(join(base, "project/.mcp.json"), '{ "mcpServers": {\n  "a": {,}\n} }');
    put(join(base, "home/.claude/settings.json"), { permissions: { defaultMode: "acceptEdits" } });
    const broken = await reader(true).read();
    expect(broken.warnings).toEqual([
      expect.stringMatching(/\.mcp\.json .*line 2.* none of its MCP servers/),
    ]);
    expect(broken.mode).toBe("acceptEdits");
  });

  test.each([
    ["bare servers", { a: one }, { a: one }, 0],
    ["no servers", { mcpServers: [] }, {}, 1],
    ["an odd one among good ones", { mcpServers: { a: one, b: "no" } }, { a: one }, 1],
  ])("%s", async (_, file, servers, warnings) => {
    const read = await placed({ "project/.mcp.json": file }).reader(true).read();
    expect(read.settings.mcpServers).toEqual(servers);
    expect(read.warnings).toHaveLength(warnings);
  });
});
