import { fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, realDisk } from "../../../src/worktrees/merge/disk.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { long } from "../../support/long.ts";
import { agentIn, groundFor, picture, put, undo } from "./scene.ts";

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
const text = (changed: Record<number, string> = {}) => LINES.map((line, at) => changed[at] ?? line).join("");

const MOMENTS = ["before the proof", "after the proof", "as it is moved"] as const;

describe("a save by the user during a merge", () => {
  it.each(MOMENTS)("is merged with the edits if both fit: %s", { tags: ["long"] }, async (moment) => {
    const repository = await repositoryWith({ a: "1\n", b: text() });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n", b: text({ 15: "agent\n" }) });
    const save = (count: number) =>
      count === 1 && writeFileSync(join(repository.folder, "b"), text({ 2: "saved\n" }));
    expect(await agent.apply({}, savingAt(moment, repository.folder, save))).toMatchObject({
      type: "merged",
      notes: [],
    });
    expect(picture(repository.folder, { times: false })).toEqual({
      a: "100644  2\n",
      b: `100644  ${text({ 2: "saved\n", 15: "agent\n" })}`,
    });
  });

  it.each(MOMENTS)("is a conflict only if git says so: %s", { tags: ["long"] }, async (moment) => {
    const repository = await repositoryWith({ a: "1\n", b: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n", b: "2\n" });
    const save = (count: number) => count === 1 && writeFileSync(join(repository.folder, "b"), "saved\n");
    expect(await agent.apply({}, savingAt(moment, repository.folder, save))).toMatchObject({
      type: "conflict",
      conflicts: [{ path: "b", kind: "content" }],
      notes: [],
    });
    expect(picture(repository.folder, { times: false })).toEqual({ a: "100644  1\n", b: "100644  saved\n" });
  });

  it.each(MOMENTS)("is merged if it is made again a few times: %s", { tags: ["long"] }, async (moment) => {
    const repository = await repositoryWith({ a: "1\n", b: text() });
    // However slow the machine is.
    const agent = await agentIn(repository, "a1", { ...groundFor(repository, "a1"), now: () => 0 });
    agent.write({ a: "2\n", b: text({ 15: "agent\n" }) });
    const save = (count: number) =>
      count <= 6 && writeFileSync(join(repository.folder, "b"), text({ 2: `saved ${count}\n` }));
    expect(await agent.apply({}, savingAt(moment, repository.folder, save))).toMatchObject({
      type: "merged",
    });
    expect(picture(repository.folder, { times: false })).toEqual({
      a: "100644  2\n",
      b: `100644  ${text({ 2: "saved 6\n", 15: "agent\n" })}`,
    });
  });

  it.each(MOMENTS)("is no conflict if it is made again each time: %s", { tags: ["long"] }, async (moment) => {
    const repository = await repositoryWith({ a: "1\n", b: text() });
    let saves = 0;
    // Each of them takes three seconds.
    const ground = { ...groundFor(repository, "a1"), now: () => 3_000 * saves };
    const agent = await agentIn(repository, "a1", ground);
    agent.write({ a: "2\n", b: text({ 15: "agent\n" }) });
    const save = (count: number) => {
      saves = count;
      writeFileSync(join(repository.folder, "b"), text({ 2: `saved ${count}\n` }));
    };
    const reason = `Nothing was brought into ${repository.folder}: b was changed there while the edits were written (4 tries in 12 s). The edits stay on their branch; troupe worktrees merge ${agent.tree.name} tries again.`;
    expect(await agent.apply({}, savingAt(moment, repository.folder, save))).toEqual({
      type: "refused",
      reason,
    });
    expect(picture(repository.folder, { times: false })).toEqual({
      a: "100644  1\n",
      b: `100644  ${text({ 2: "saved 4\n" })}`,
    });
    // The same merge is possible as soon as nothing writes.
    expect(await agent.apply()).toMatchObject({ type: "merged" });
  });

  it("does not pass a check again: what was checked is not what would be written", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({ a: text() });
    const agent = await agentIn(repository);
    agent.write({ a: text({ 15: "agent\n" }) });
    const prepared = await agent.prepare();
    const expects = prepared.type === "clean" ? prepared.checkout : "";
    const save = () => writeFileSync(join(repository.folder, "a"), text({ 2: "saved\n" }));
    expect(await agent.apply({ expects }, savingAt("before the proof", repository.folder, save))).toEqual({
      type: "moved",
    });
  });
});

/** A disk on which somebody saves at this moment of each try. */
function savingAt(moment: (typeof MOMENTS)[number], root: string, save: (count: number) => unknown): Disk {
  let count = 0;
  const once = () => {
    count += 1;
    save(count);
  };
  return {
    ...realDisk,
    append(file, words) {
      if (moment === "after the proof" && words.includes('"merge-start"')) once();
      realDisk.append(file, words);
    },
    write(file, words) {
      if (moment === "before the proof" && basename(file) === "merging") once();
      realDisk.write(file, words);
    },
    rename(from, to) {
      if (moment === "as it is moved" && from === join(root, "b") && !to.includes("-away-")) once();
      realDisk.rename(from, to);
    },
  };
}

describe("several in parallel", () => {
  it("come in one after the other, and all are undone in turn", { tags: ["long"] }, async () => {
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

  it("and a person who saves at any time has every save in the file", {
    tags: ["long"],
    timeout: 120_000,
  }, async () => {
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
  it("wrote to a replaced file: undo restores its text, and says so", { tags: ["long"] }, async () => {
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
