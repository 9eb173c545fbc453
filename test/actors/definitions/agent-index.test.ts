import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { agentIndex } from "../../../src/actors/definitions/agent-index.ts";
import { agentLibrary } from "../../../src/actors/definitions/load.ts";
import { diskFiles } from "../../../src/context/disk-files.ts";
import type { Files } from "../../../src/context/files.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { agentsIn, places, simple } from "./agent-files.ts";

const ALL = `---
name: everything
description: It says all that can be said.
tools: Read, Bash
disallowedTools: Write
model: haiku
permissionMode: plan
maxTurns: 7
background: true
isolation: worktree
merge: keep
skills: [sql]
mcpServers:
  - github
  - db: { command: node, args: [db.js] }
hooks:
  PreToolUse:
    - matcher: Bash
      hooks: [{ type: command, command: "true" }]
output_schema: { type: object, properties: { answer: { type: string } } }
budget: { tokens: 1000, usd: 0.5 }
---
You do it all.
`;

function world(files: Readonly<Record<string, string>>) {
  const { project: cwd, homedir, managed } = places();
  agentsIn(cwd, files);
  const home = temporaryFolder();
  const index = agentIndex(home, cwd).path;
  let reads = 0;
  const counting: Files = {
    ...diskFiles,
    read(path, most) {
      if (path !== index) reads += 1;
      return diskFiles.read(path, most);
    },
  };
  const trust = { trusted: () => true, agreed: () => true };
  return {
    ...{ cwd, home, index, reads: () => reads },
    library: (own: { home?: string } = { home }) =>
      agentLibrary({ cwd, homedir, managed, ...own, ...trust }, counting),
  };
}

test("what has not changed is not read again, not by the next session either, and means the same", async () => {
  const { cwd, index, library, reads } = world({
    "all.md": ALL,
    "one.md": simple("one"),
    "broken.md": "---\nname: broken",
    "notes.md": "No agent.",
  });
  const plain = await library({}).look();
  expect(reads()).toBe(4);
  const first = await library().look();
  expect(first).toEqual(plain);
  expect(first.agents.find(({ name }) => name === "everything")).toMatchObject({
    maxTurns: 7,
    skills: ["sql"],
  });
  expect(reads()).toBe(8);
  const next = library();
  expect(await next.look()).toEqual(plain);
  expect(reads()).toBe(8);
  agentsIn(cwd, { "one.md": simple("one", "", "You are another.") });
  rmSync(join(cwd, ".claude/agents/notes.md"));
  const changed = await next.look();
  expect(reads()).toBe(9);
  expect(changed.agents.find(({ name }) => name === "one")?.prompt).toContain("another");
  expect(JSON.parse(readFileSync(index, "utf8")).files).toHaveLength(3);
  // What was read of each, and what came of all.
  expect(readdirSync(dirname(index))).toHaveLength(2);
});

test("what is new, renamed, changed or agreed to counts at the next look; else it is the same object", async () => {
  const { project: cwd, homedir, managed } = places();
  agentsIn(cwd, { "one.md": simple("one", "permissionMode: acceptEdits\n") });
  let agreed = false;
  const trust = { trusted: () => false, agreed: () => agreed };
  const library = agentLibrary({ cwd, homedir, managed, ...trust }, diskFiles);
  const first = await library.look();
  expect(first.agents.map(({ permissionMode }) => permissionMode)).toEqual([undefined]);
  expect(await library.look()).toBe(first);
  writeFileSync(join(cwd, "beside.txt"), "No agent.");
  writeFileSync(join(cwd, ".claude/agents/beside.txt"), "No agent either.");
  expect(await library.look()).toBe(first);
  agreed = true;
  expect((await library.look()).agents[0]?.permissionMode).toBe("acceptEdits");
  agentsIn(cwd, { "deep/two.md": simple("two") });
  expect((await library.look()).agents.map(({ name }) => name)).toEqual(["two", "one"]);
  agentsIn(homedir, { "three.md": simple("three") });
  renameSync(join(cwd, ".claude/agents/deep"), join(cwd, ".claude/agents/z"));
  expect((await library.look()).agents.map(({ name }) => name)).toEqual(["one", "two", "three"]);
});

test.each([
  ["nothing", ""],
  ["no JSON", "{"],
  ["another version's", '{"version":1,"files":{}}'],
  ["what nobody has written", `{"digest":"${"0".repeat(64)}","files":[["x","1",{"definition":{"name":7}}]]}`],
])("an index that holds %s is made anew", async (_, text) => {
  const { index, library } = world({ "one.md": simple("one") });
  mkdirSync(dirname(index), { recursive: true });
  writeFileSync(index, text);
  expect((await library().look()).agents.map(({ name }) => name)).toEqual(["one"]);
  expect(JSON.parse(readFileSync(index, "utf8")).files).toHaveLength(1);
});

test("where somebody has changed what was kept, each file is read again", async () => {
  const { index, library, reads } = world({ "all.md": ALL });
  const first = await library().look();
  const kept = readdirSync(dirname(index)).map((name) => join(dirname(index), name));
  const texts = kept.map((path) => readFileSync(path, "utf8"));
  const swaps = [
    ['"maxTurns":7', '"maxTurns":"7"'],
    ['"isolation":"worktree"', '"isolation":"none"'],
    ['"prompt"', '"unheardOf"'],
  ] as const;
  for (const [from, to] of swaps) {
    for (const [at, path] of kept.entries()) {
      expect(texts[at]).toContain(from);
      writeFileSync(path, texts[at]?.replace(from, to) ?? "");
    }
    const before = reads();
    expect(await library().look()).toEqual(first);
    expect(reads()).toBe(before + 1);
  }
});

test("what the next session takes as it was counts only where the person has agreed to it then", async () => {
  const { project: cwd, homedir, managed } = places();
  agentsIn(cwd, { "one.md": simple("one", "permissionMode: acceptEdits\n") });
  const home = temporaryFolder();
  const modes = async (agreed: boolean, trusted = agreed) => {
    const trust = { trusted: () => trusted, agreed: () => agreed };
    const { agents, inert } = await agentLibrary({ cwd, homedir, managed, home, ...trust }, diskFiles).look();
    return [agents[0]?.permissionMode, inert === null];
  };
  expect(await modes(true)).toEqual(["acceptEdits", true]);
  expect(await modes(false, true)).toEqual([undefined, false]);
  expect(await modes(false)).toEqual([undefined, false]);
  expect(await modes(true, false)).toEqual(["acceptEdits", true]);
});

test("where it cannot be kept every session reads for itself", async () => {
  const { library, reads } = world({ "one.md": simple("one") });
  const home = join(temporaryFolder(), "file");
  writeFileSync(home, "In its place.");
  for (const round of [1, 2]) {
    expect((await library({ home }).look()).agents).toHaveLength(1);
    expect(reads()).toBe(round);
  }
});
