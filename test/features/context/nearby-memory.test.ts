// @module-tag long
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defineAgent } from "../../../src/context/agents/definition.ts";
import { pathPatterns } from "../../../src/features/context/path-patterns.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { Script } from "../../../src/model/scripted.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const said = ({ messages }: ModelRequest) => JSON.stringify(messages);
const times = (request: ModelRequest | undefined, text: string) =>
  request === undefined ? -1 : said(request).split(text).length - 1;
const call = (name: string, input: object) => ({ calls: [{ name, input }] });

/** A session that does what each prompt names: `read PATH`, `edit PATH`, several with commas between them. */
function session(files: Readonly<Record<string, string>>, more: Parameters<typeof supervised>[2] = {}) {
  const homedir = temporaryFolder();
  const script: Script = (request) => {
    const last = JSON.stringify(request.messages.at(-1));
    if (last.includes("Write under these headings")) return { text: "Notes." };
    const [, verb, path = ""] = /"(?:text|content)":"(read|write) ([^"]+)"/.exec(last) ?? [];
    if (verb === "read") return call("Read", { file_path: join(world.cwd, path) });
    if (verb === "write") return call("Write", { file_path: join(world.cwd, path), content: "new" });
    return { text: "Done." };
  };
  const world = supervised("in-thread", script, {
    files,
    permissionMode: "acceptEdits",
    context: {
      memory: {
        ...userPlaces({}, homedir),
        home: join(homedir, ".troupe"),
        managed: join(homedir, "none"),
        trusted: () => false,
      },
    },
    ...more,
  });
  const last = () => world.model.requests.at(-1);
  return { ...world, homedir, last };
}

describe("memory of folders below", () => {
  const files = {
    "CLAUDE.md": "of the top",
    "api/CLAUDE.md": "of the api @notes.md",
    "api/notes.md": "notes of the api",
    "api/v1/AGENTS.md": "of version one",
    "api/v1/a.ts": "a",
    "api/v1/b.ts": "b",
    "web/CLAUDE.md": "of the web",
    "web/c.ts": "c",
  };

  test("is shown when a file there is opened, from the outside in, once, and again if it has changed", async () => {
    const { supervisor, last, cwd, model } = session(files);
    await supervisor.prompt("nothing yet");
    expect(times(last(), "of the api")).toBe(0);
    await supervisor.prompt("read api/v1/a.ts");
    const request = last();
    for (const text of ["of the api", "notes of the api", "of version one"])
      expect(times(request, text)).toBeGreaterThan(0);
    expect(times(request, "of the web")).toBe(0);
    const whole = request ? said(request) : "";
    expect(whole.indexOf("of the api @notes")).toBeLessThan(whole.indexOf("of version one"));
    expect(whole).toContain(
      `You have opened files below ${join(cwd, "api")}; this memory file applies there:`,
    );
    await supervisor.prompt("read api/v1/b.ts");
    expect(times(last(), "of version one")).toBe(1);
    writeFileSync(join(cwd, "api/v1/AGENTS.md"), "of version one, newly");
    await supervisor.prompt("write web/d.ts");
    expect(times(last(), "of version one, newly")).toBe(1);
    expect(times(last(), "of the web")).toBe(1);
    rmSync(join(cwd, "web/CLAUDE.md"));
    await supervisor.prompt("go on");
    expect(times(last(), "web/CLAUDE.md was deleted")).toBe(1);
    expect(new Set(model.requests.map(({ system, tools }) => JSON.stringify([system, tools]))).size).toBe(1);
  });

  test("is shown again after compaction, when a file there is opened again", async () => {
    const { supervisor, last } = session(files);
    await supervisor.prompt("read web/c.ts");
    for (const prompt of ["one", "two", "three", "four"]) await supervisor.prompt(prompt);
    expect(await supervisor.compact(MAIN)).toMatchObject({ type: "compacted" });
    await supervisor.prompt("five");
    expect(times(last(), "of the web")).toBe(0);
    await supervisor.prompt("read web/c.ts");
    expect(times(last(), "of the web")).toBe(1);
  });

  test("is shown to agents that see memory, and to no others", async () => {
    const blind = defineAgent({
      ...{ name: "blind", whenToUse: "Never.", prompt: "You help.", tools: "all" as const, memory: false },
    });
    const { supervisor, last } = session(files, { agents: [blind] });
    await supervisor.spawn({ type: "general-purpose", prompt: "read api/v1/a.ts" });
    expect(times(last(), "of version one")).toBe(1);
    for (const type of ["blind", "Explore"]) {
      await supervisor.spawn({ type, prompt: "read api/v1/a.ts" });
      expect(times(last(), "of version one")).toBe(0);
    }
  });

  test("brings in nothing from outside of the project, and nothing that a rule keeps from being read", async () => {
    const secret = join(temporaryFolder(), "secret.md");
    writeFileSync(secret, "SECRET");
    const { supervisor, last, events } = session(
      { "api/CLAUDE.md": `see @${secret}`, "api/AGENTS.md": "DENIED", "api/a.ts": "a" },
      { disallowedTools: ["Read(api/AGENTS.md)"] },
    );
    await supervisor.prompt("read api/a.ts");
    expect(times(last(), "SECRET")).toBe(0);
    expect(times(last(), "DENIED")).toBe(0);
    expect(times(last(), "see @")).toBe(1);
    const warnings = events.filter(({ type }) => type === "warning");
    expect(JSON.stringify(warnings)).toMatch(/secret\.md was left out: it leads out of the project/);
  });
});

test("ignores memory of installed packages", async () => {
  const { supervisor, last } = session({
    "node_modules/pkg/AGENTS.md": "of the package",
    "node_modules/pkg/index.js": "x",
    "web/node_modules/pkg/CLAUDE.md": "of another",
    "web/node_modules/pkg/index.js": "x",
  });
  await supervisor.prompt("read node_modules/pkg/index.js");
  await supervisor.prompt("read web/node_modules/pkg/index.js");
  expect(last()?.messages.length).toBeGreaterThan(2);
  expect(JSON.stringify(last())).not.toMatch(/of the package|of another/);
});

describe("rules (.claude/rules)", () => {
  const rule = (paths: string, text: string) => `---\npaths: ${paths}\n---\n${text}`;

  test("without paths they are memory; with paths they are shown when such a file is opened", async () => {
    const { supervisor, last, model, homedir } = session({
      ".claude/rules/always.md": "---\ndescription: x\n---\nAlways so.",
      ".claude/rules/deep/api.md": rule("'api/**/*.{ts,tsx}'", "In the api so."),
      ".claude/rules/web.md": rule("[web/*.css]", "In styles so."),
      "api/v1/a.ts": "a",
      "web/x.ts": "x",
    });
    mkdirSync(join(homedir, ".claude", "rules"), { recursive: true });
    writeFileSync(join(homedir, ".claude", "rules", "mine.md"), "Mine for all.");
    await supervisor.prompt("start");
    const [memory] = model.requests[0]?.system.slice(-1) ?? [];
    expect(memory).toContain("Always so.");
    expect(memory).not.toContain("description: x");
    expect(memory?.indexOf("Mine for all.")).toBeLessThan(memory?.indexOf("Always so.") ?? 0);
    expect(JSON.stringify(model.requests[0])).not.toMatch(/In the api so|In styles so/);
    await supervisor.prompt("read web/x.ts");
    await supervisor.prompt("read api/v1/a.ts");
    expect(times(last(), "In the api so.")).toBe(1);
    expect(times(last(), "In styles so.")).toBe(0);
    await supervisor.prompt("read api/v1/a.ts");
    expect(times(last(), "In the api so.")).toBe(1);
  });

  test("what a rule for some files imports comes with it, and what is memory anyway does not come again", async () => {
    const { supervisor, last, model } = session({
      "CLAUDE.md": "See @docs/common.md",
      "docs/common.md": "Common words.",
      ".claude/rules/api.md": rule(
        "api/*",
        "In the api so, see @../../docs/api.md and @../../docs/common.md",
      ),
      "docs/api.md": "Imported for the api, see @more.md",
      "docs/more.md": "And more.",
      "api/a.ts": "a",
      "web/b.ts": "b",
    });
    await supervisor.prompt("read web/b.ts");
    expect(JSON.stringify(model.requests)).not.toMatch(/Imported for the api|And more/);
    await supervisor.prompt("read api/a.ts");
    for (const text of ["In the api so", "Imported for the api", "And more."])
      expect(times(last(), text)).toBe(1);
    expect(JSON.stringify(last()?.system).split("Common words.")).toHaveLength(2);
    expect(times(last(), "Common words.")).toBe(0);
    await supervisor.prompt("read api/a.ts");
    expect(times(last(), "Imported for the api")).toBe(1);
    expect(times(last(), "was deleted")).toBe(0);
  });

  test("a rule that changes is shown again; one that is now for all files is not reported as deleted", async () => {
    const { supervisor, last, cwd } = session({
      ".claude/rules/api.md": rule("api/*", "In the api so."),
      "api/a.ts": "a",
    });
    await supervisor.prompt("read api/a.ts");
    writeFileSync(join(cwd, ".claude/rules/api.md"), rule("api/*", "In the api otherwise."));
    await supervisor.prompt("go on");
    expect(times(last(), "In the api otherwise.")).toBe(1);
    writeFileSync(join(cwd, ".claude/rules/api.md"), "In the api otherwise.");
    await supervisor.prompt("go on");
    expect(times(last(), "was deleted")).toBe(0);
    rmSync(join(cwd, ".claude/rules/api.md"));
    await supervisor.prompt("go on");
    expect(times(last(), "was deleted")).toBeGreaterThan(0);
  });

  test.each([
    ["src/**/*.ts", "src/a/b.ts", true],
    ["./src/*", "src/a.ts", true],
    ["*.md", "docs/a.md", false],
    ["**/*.test.{ts,tsx}", "a/b.test.tsx", true],
    ["docs/", "docs/a/b.md", true],
    ["!(x)", "y", true],
  ])("%s fits %s: %s", (pattern, path, does) => {
    expect(pathPatterns()(pattern, path)).toBe(does);
  });
});
