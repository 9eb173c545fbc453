// @module-tag long
import { chmodSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryWith } from "../../support/git-repository.ts";
import { agentIn, persons, picture, put, undo } from "./scene.ts";

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
const text = (changed: Record<number, string> = {}) => LINES.map((line, at) => changed[at] ?? line).join("");

describe("merges edits (A16.4, C15)", () => {
  it("into files the user has changed since; HEAD, index, refs, config and hooks keep their bytes", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({ a: text(), b: "b\n", "gone/c": "c\n", staged: "1\n" });
    repository.write({ a: text({ 1: "uncommitted\n" }), staged: "2\n", "own new": "mine\n" });
    await repository.must(["add", "staged"]);
    const agent = await agentIn(repository);
    expect(readFileSync(join(agent.tree.path, "a"), "utf8")).toBe(text({ 1: "uncommitted\n" }));
    agent.write({
      a: text({ 1: "uncommitted\n", 10: "agent\n" }),
      b: null,
      "gone/c": null,
      "new/d": "d\n",
      e: "",
    });
    repository.write({ a: text({ 1: "uncommitted\n", 18: "meanwhile\n" }), staged: "3\n" });
    await repository.must(["update-index", "-q", "--refresh"]).catch(() => "");
    const mine = await persons(repository);

    const prepared = await agent.prepare({ deleted: ["b"] });
    expect(prepared).toMatchObject({ type: "clean", files: 5, strange: ["gone/c"], notes: [] });
    if (prepared.type !== "clean") throw new Error();
    expect(prepared.paths.sort()).toEqual(["a", "b", "e", "gone/c", "new/d"]);
    const answer = await agent.apply({ expects: prepared.checkout });
    expect(answer).toMatchObject({
      type: "merged",
      files: 5,
      insertions: 2,
      deletions: 3,
      commit: null,
      notes: [],
    });
    const now = picture(repository.folder, { times: false });
    expect(Object.keys(now).sort()).toEqual(["a", "e", "new/", "new/d", "own new", "staged"]);
    expect(readFileSync(join(repository.folder, "a"), "utf8")).toBe(
      text({ 1: "uncommitted\n", 10: "agent\n", 18: "meanwhile\n" }),
    );
    const { status: _, ...before } = mine as { status: string };
    expect(await persons(repository)).toMatchObject(before);
    // What is in the index is not even looked at.
    expect(await repository.must(["show", ":staged"])).toBe("2\n");
    const tree = await repository.must(["stash", "create"]);
    expect(tree).not.toBe("");
  });

  it("into files with the permissions that the user gave them, and undoes them to the same", async () => {
    const repository = await repositoryWith({ private: text(), run: text(), "to run": text() });
    const modes = () =>
      ["private", "run", "to run"].map((path) => lstatSync(join(repository.folder, path)).mode & 0o777);
    for (const [path, mode] of [
      ["private", 0o600],
      ["run", 0o744],
      ["to run", 0o640],
    ] as const)
      chmodSync(join(repository.folder, path), mode);
    const agent = await agentIn(repository);
    const changed = text({ 10: "agent\n" });
    for (const path of ["private", "run", "to run"]) writeFileSync(join(agent.tree.path, path), changed);
    chmodSync(join(agent.tree.path, "to run"), 0o755);
    expect(await agent.apply()).toMatchObject({ type: "merged", files: 3 });
    expect(readFileSync(join(repository.folder, "private"), "utf8")).toBe(changed);
    expect(modes()).toEqual([0o600, 0o744, 0o750]);
    expect(await undo(repository)).toMatchObject({ type: "undone", notes: [] });
    expect(modes()).toEqual([0o600, 0o744, 0o640]);
  });

  it("and undone to the exact bytes, rights and times (again: the one before)", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({ a: text(), "gone/deep/c": "c\n", "x/y": "1\n" });
    const first = picture(repository.folder);
    const [one, two] = [await agentIn(repository, "one"), await agentIn(repository, "two")];
    one.write({ a: text({ 1: "one\n" }), "gone/deep/c": null, "new/deep/d": "d\n" });
    two.write({ a: text({ 15: "two\n" }), "x/y": { link: "../a" } });
    expect(await one.apply()).toMatchObject({ type: "merged" });
    const second = picture(repository.folder);
    expect(await two.apply()).toMatchObject({ type: "merged" });
    expect(readFileSync(join(repository.folder, "a"), "utf8")).toBe(text({ 1: "one\n", 15: "two\n" }));
    expect(await undo(repository, { which: "actor-one" })).toMatchObject({
      type: "refused",
      reason: expect.stringContaining("(Work of two)"),
    });
    expect(await undo(repository)).toMatchObject({ type: "undone", title: "Work of two", notes: [] });
    expect(picture(repository.folder)).toEqual(second);
    expect(await undo(repository)).toMatchObject({ type: "undone", title: "Work of one", notes: [] });
    expect(picture(repository.folder)).toEqual(first);
    expect(await undo(repository)).toEqual({ type: "nothing" });
    expect(await undo(repository, { which: "one" })).toMatchObject({
      reason: "The edits of one are undone already.",
    });
    expect(lstatSync(join(repository.folder, "a")).nlink).toBe(1);
  });

  it("an older one is undone where no later one touched its files", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: "1\n", b: "1\n" });
    const [one, two] = [await agentIn(repository, "one"), await agentIn(repository, "two")];
    one.write({ a: "one\n" });
    two.write({ b: "two\n" });
    await one.apply();
    await two.apply();
    expect(await undo(repository, { which: "one" })).toMatchObject({ type: "undone", paths: ["a"] });
    expect(readFileSync(join(repository.folder, "b"), "utf8")).toBe("two\n");
  });

  it("undo asks where something changed since, and with force puts that aside first", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({ a: "1\n", b: "1\n", c: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n", b: null, d: "new\n", c: "2\n" });
    await agent.apply();
    repository.write({ a: "3\n", b: "again\n" });
    put(repository.folder, { d: null });
    const before = picture(repository.folder);
    const asked = await undo(repository);
    expect(asked).toMatchObject({ type: "changed" });
    expect(asked.type === "changed" ? asked.paths.sort() : []).toEqual(["a", "b", "d"]);
    expect(picture(repository.folder)).toEqual(before);
    const done = await undo(repository, { force: true });
    if (done.type !== "undone") throw new Error(JSON.stringify(done));
    expect(picture(repository.folder, { times: false })).toEqual({
      a: "100644  1\n",
      b: "100644  1\n",
      c: "100644  1\n",
    });
    const kept = done.notes
      .map((note) => readFileSync(/kept as (.*)\.$/.exec(note)?.[1] ?? "", "utf8"))
      .sort();
    expect(kept).toEqual(["3\n", "again\n"]);
  });

  it("not where the checkout is another than was checked", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: "1\n", b: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n" });
    const prepared = await agent.prepare();
    repository.write({ b: "2\n" });
    const before = picture(repository.folder);
    expect(await agent.apply({ expects: prepared.type === "clean" ? prepared.checkout : "" })).toEqual({
      type: "moved",
    });
    expect(picture(repository.folder)).toEqual(before);
  });

  it("nothing if nothing was changed", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n" });
    agent.write({ a: "1\n" });
    expect(await agent.prepare()).toEqual({ type: "empty", notes: [] });
    expect(await agent.apply()).toMatchObject({ type: "merged", files: 0 });
    expect(await undo(repository)).toEqual({ type: "nothing" });
  });

  it("but for deletions that are held back", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: "1\n", "b[1]": "1\n", c: "moved content, long enough\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n", "b[1]": null, c: null, d: "moved content, long enough\n" });
    // A rename is no deletion.
    expect(await agent.prepare()).toMatchObject({ type: "clean", strange: ["b[1]"] });
    expect(await agent.apply({ hold: ["b[1]"] })).toMatchObject({ type: "merged", files: 2 });
    expect(Object.keys(picture(repository.folder))).toEqual(["a", "b[1]", "d"]);
  });

  it("into a linked work tree as into any other checkout", { tags: ["long"] }, async () => {
    const main = await repositoryWith({ a: text(), b: "1\n" });
    const folder = join(main.folder, "..", "linked");
    await main.must(["worktree", "add", "-q", "-b", "linked", folder]);
    const before = picture(main.folder);
    const linked = { ...main, folder, git: main.git.at(folder) };
    put(folder, { a: text({ 2: "mine\n" }) });
    const mine = picture(folder);
    const agent = await agentIn(linked);
    agent.write({ a: text({ 2: "mine\n", 12: "agent\n" }), b: null, c: "new\n" });
    expect(await agent.apply({ commit: "By an agent" })).toMatchObject({ type: "merged" });
    expect(readFileSync(join(folder, "a"), "utf8")).toBe(text({ 2: "mine\n", 12: "agent\n" }));
    expect((await linked.git.run(["status", "--porcelain"])).out).toBe(" M a\n");
    expect(picture(main.folder)).toEqual(before);
    expect(await undo(main)).toEqual({ type: "nothing" });
    expect(await undo(linked)).toMatchObject({ type: "undone", notes: [] });
    expect(picture(folder)).toEqual(mine);
    expect((await linked.git.run(["status", "--porcelain"])).out).toBe(" M a\n");
  });

  it("outside of what a sparse checkout has, too, where the agent went there", async () => {
    const repository = await repositoryWith({ "in/a": "1\n", "out/b": "1\n", "out/c": "1\n" });
    await repository.must(["sparse-checkout", "set", "in"]);
    const agent = await agentIn(repository);
    agent.write({ "in/a": "2\n", "out/b": "2\n" });
    expect(await agent.apply()).toMatchObject({ type: "merged", files: 2 });
    expect(picture(repository.folder, { times: false })).toEqual({
      ...{ "in/": "40755", "in/a": "100644  2\n", "out/": "40755", "out/b": "100644  2\n" },
    });
    expect(await undo(repository)).toMatchObject({ type: "undone" });
    expect(Object.keys(picture(repository.folder))).toEqual(["in/", "in/a"]);
  });
});
