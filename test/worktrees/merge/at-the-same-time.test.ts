import { fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, realDisk } from "../../../src/worktrees/merge/disk.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { long } from "../../support/long.ts";
import { agentIn, picture, put, undo } from "./scene.ts";

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
const text = (changed: Record<number, string> = {}) => LINES.map((line, at) => changed[at] ?? line).join("");

describe("a save of the person while edits are brought in", () => {
  it.each([
    ["before the files are looked at", 0],
    ["just after", 1],
  ])("stays, and the edits are a conflict: %s", async (_, at) => {
    const repository = await repositoryWith({ a: "1\n", b: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n", b: "2\n" });
    let renames = 0;
    const saving: Disk = {
      ...realDisk,
      append(file, words) {
        if (at === 0 && words.includes('"merge-start"'))
          writeFileSync(join(repository.folder, "b"), "saved\n");
        realDisk.append(file, words);
      },
      rename(from, to) {
        if (at === 1 && renames++ === 1) writeFileSync(join(repository.folder, "b"), "saved\n");
        realDisk.rename(from, to);
      },
    };
    expect(await agent.apply({}, saving)).toMatchObject({
      type: "conflict",
      conflicts: [{ path: "b", kind: "changed meanwhile", lines: [] }],
      notes: [],
    });
    expect(picture(repository.folder, { times: false })).toEqual({ a: "100644  1\n", b: "100644  saved\n" });
    // It can be tried again at once.
    expect(await agent.prepare()).toMatchObject({
      type: "conflict",
      conflicts: [{ path: "b", kind: "content" }],
    });
  });
});

describe("several at once", () => {
  it("come in one after the other, and all are undone in turn", async () => {
    const repository = await repositoryWith({ a: text(), b: "1\n" });
    const before = picture(repository.folder);
    const agents = [];
    for (let at = 0; at < 5; at += 1) agents.push(await agentIn(repository, `n${at}`));
    for (const [at, agent] of agents.entries())
      agent.write({ a: text({ [at * 4]: `agent ${at}\n` }), [`new/${at}`]: `${at}\n` });
    const answers = await Promise.all(agents.map((agent) => agent.apply()));
    expect(answers.map(({ type }) => type)).toEqual(answers.map(() => "merged"));
    expect(readFileSync(join(repository.folder, "a"), "utf8")).toBe(
      text({ 0: "agent 0\n", 4: "agent 1\n", 8: "agent 2\n", 12: "agent 3\n", 16: "agent 4\n" }),
    );
    for (const _ of agents) expect(await undo(repository)).toMatchObject({ type: "undone", notes: [] });
    expect(picture(repository.folder)).toEqual(before);
  });

  it("and a person who saves at any time has every save in the file", { timeout: 120_000 }, async () => {
    const repository = await repositoryWith({ a: text(), b: text() });
    const child = fork(join(import.meta.dirname, "saving-process.ts"), { stdio: "inherit" });
    const seen = new Set<string>();
    try {
      for (let race = 0; race < long(100, 8); race += 1) {
        put(repository.folder, { a: text(), b: text() });
        const agent = await agentIn(repository, `race${race}`);
        agent.write({ a: text({ 15: "agent\n" }), b: text({ 15: "agent\n" }) });
        const how = ["in place", "rename", "anew"][race % 3];
        const began = once(child, "message");
        const file = join(repository.folder, "b");
        child.send({ file, how, text: text({ 2: `saved ${race}\n` }), spin: (race * 17_001) % 260_000 });
        await began;
        const saved = once(child, "message");
        const answer = await agent.apply();
        await saved;
        const now = readFileSync(file, "utf8");
        expect(now, `race ${race}, ${answer.type}`).toContain(`saved ${race}\n`);
        seen.add(`${answer.type}${now.includes("agent") ? ", both" : ""}`);
      }
    } finally {
      child.kill();
    }
    expect(seen).toContain("merged, both");
  });
});

describe("a program that had a file open", () => {
  it("wrote to what was put aside: undo brings its words, and says so", async () => {
    const repository = await repositoryWith({ a: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n" });
    const opened = openSync(join(repository.folder, "a"), "a");
    await agent.apply();
    writeSync(opened, "late\n");
    closeSync(opened);
    expect(readFileSync(join(repository.folder, "a"), "utf8")).toBe("2\n");
    expect(await undo(repository)).toMatchObject({
      type: "undone",
      notes: [expect.stringMatching(/^a was written to/)],
    });
    expect(readFileSync(join(repository.folder, "a"), "utf8")).toBe("1\nlate\n");
  });
});
