// @module-tag long
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mergeStateOf } from "../../../src/worktrees/merge/merge-journal.ts";
import { rollBackUnfinished } from "../../../src/worktrees/merge/roll-back.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { groundOf } from "../tree-of-tests.ts";
import { Died, dyingDisk } from "./dying-disk.ts";
import { agentIn, picture, put, undo } from "./scene.ts";

test("a directory that a repository says a merge was cut off in is not removed unless it is the merge's own", async () => {
  const repository = await repositoryWith({ a: "1\n" });
  const theirs = await temporaryFolder();
  put(theirs, { "precious/file": "theirs\n", ".claude/worktrees/.merge-m1/file": "theirs\n" });
  const before = picture(theirs);
  const common = join(repository.folder, ".git");
  mkdirSync(join(common, "troupe"), { recursive: true });
  for (const [name, folder] of [
    ["m1", theirs],
    ["m1", join(theirs, ".claude", "worktrees", ".merge-m1")],
    ["../../..", join(common, "troupe", "merges", "..", "..", "..")],
  ]) {
    writeFileSync(join(common, "troupe", "merging"), `${name}\n${folder}\n`);
    expect(await rollBackUnfinished(common, groundOf(repository.env))).toEqual({ merges: [], notes: [] });
    expect(picture(theirs)).toEqual(before);
    expect(existsSync(join(repository.folder, "a"))).toBe(true);
  }
  expect(existsSync(join(theirs, ".claude", "worktrees", ".merge-m1", "file"))).toBe(true);
});

/** Killed when the old file is aside and the new one not there yet, as far as the step says. */
async function cutOff(step: number) {
  const repository = await repositoryWith({ a: "1\n", b: "1\n", "gone/c": "1\n" });
  put(repository.folder, { a: "the person's\n" });
  const before = picture(repository.folder);
  const agent = await agentIn(repository);
  agent.write({ b: "2\n", a: "of the agent\n", "gone/c": null });
  await expect(agent.apply({}, dyingDisk(step).disk)).rejects.toThrow(Died);
  return { repository, before };
}

test("rolls back a merge that was cut off in a repository that was moved since", {
  tags: ["long"],
}, async () => {
  for (const step of [4, 6, 8]) {
    const { repository, before } = await cutOff(step);
    const moved = join(await temporaryFolder(), "moved");
    renameSync(repository.folder, moved);
    const { notes } = await rollBackUnfinished(join(moved, ".git"), groundOf(repository.env));
    expect(notes).toEqual([]);
    expect(picture(moved), `step ${step}`).toEqual(before);
  }
});

test("a copy of a repository does not touch the original", { tags: ["long"] }, async () => {
  for (const step of [4, 6, 8]) {
    const { repository } = await cutOff(step);
    const copy = join(await temporaryFolder(), "copy");
    cpSync(repository.folder, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    const cut = picture(repository.folder);
    const bytes =
      readFileSync(join(repository.folder, ".git", "troupe", "merging"), "utf8").split("\n")[1] ?? "";
    await rollBackUnfinished(join(copy, ".git"), groundOf(repository.env));
    expect(picture(repository.folder), `step ${step}`).toEqual(cut);
    expect(existsSync(bytes)).toBe(true);
  }
});

test("what was merged before a repository was moved can be undone after", async () => {
  const repository = await repositoryWith({ a: "1\n" });
  const before = picture(repository.folder);
  const agent = await agentIn(repository);
  agent.write({ a: "2\n" });
  await agent.apply();
  const moved = join(await temporaryFolder(), "moved");
  renameSync(repository.folder, moved);
  expect(await undo({ ...repository, folder: moved })).toMatchObject({ type: "undone", notes: [] });
  expect(picture(moved)).toEqual(before);
});

test("a journal that names places outside of the checkout has nothing written there", {
  tags: ["long"],
}, async () => {
  const theirs = await temporaryFolder();
  for (const path of ["../escaped", "/escaped", ".git/hooks/post-checkout", "link/escaped"]) {
    const repository = await repositoryWith({ a: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ b: "2\n" });
    await agent.apply();
    symlinkSync(theirs, join(repository.folder, "link"));
    const common = join(repository.folder, ".git");
    const merge = readFileSync(join(common, "troupe", "merge-order"), "utf8").trim();
    const folder = join(common, "troupe", "merges", merge);
    const file = join(folder, "journal.jsonl");
    const [first = ""] = readFileSync(file, "utf8").split("\n");
    const state = mergeStateOf(common, merge)?.start.exchange.moves[0]?.after ?? null;
    const start: { exchange: { moves: unknown } } = JSON.parse(first);
    start.exchange.moves = [{ path, before: state, after: state, incoming: "stage/x" }];
    writeFileSync(file, `${JSON.stringify(start)}\n`);
    put(folder, { "aside/0": "of a stranger\n" });
    writeFileSync(join(common, "troupe", "merging"), `${merge}\n${folder}\n`);
    const hooks = picture(join(common, "hooks"));
    await rollBackUnfinished(common, groundOf(repository.env));
    expect(picture(theirs)).toEqual({});
    expect(existsSync(join(repository.folder, "..", "escaped"))).toBe(false);
    expect(picture(join(common, "hooks"))).toEqual(hooks);
  }
});
