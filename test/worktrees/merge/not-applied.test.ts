// @module-tag long
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, realDisk } from "../../../src/worktrees/merge/disk.ts";
import { rollBackUnfinished } from "../../../src/worktrees/merge/roll-back.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { agentIn, groundFor, persons, picture, put, undo } from "./scene.ts";

describe("edits are not merged, and nothing is changed, if", () => {
  const cases: Record<
    string,
    { mine: (folder: string) => void; files: Parameters<typeof put>[1]; conflict: object }
  > = {
    "both changed the same lines": {
      mine: (folder) => put(folder, { a: "mine\n" }),
      files: { a: "agent\n" },
      conflict: { path: "a", kind: "content", lines: [{ from: 1, to: 5 }] },
    },
    "both made a file": {
      mine: (folder) => put(folder, { n: "mine\n" }),
      files: { n: "agent\n" },
      conflict: { path: "n", kind: "add/add", lines: [{ from: 1, to: 5 }] },
    },
    "one deleted what the other changed": {
      mine: (folder) => put(folder, { a: null }),
      files: { a: "agent\n" },
      conflict: { path: "a", kind: "modify/delete", lines: [] },
    },
    "both changed a binary file": {
      mine: (folder) => put(folder, { bin: Buffer.from([0, 1, 2]) }),
      files: { bin: Buffer.from([0, 3]) },
      conflict: { path: "bin", kind: "binary", lines: [] },
    },
    "an ignored file is in the way": {
      mine: (folder) => put(folder, { "x.log": "mine, and nowhere else\n" }),
      files: { ".gitignore": "", "x.log": "agent\n" },
      conflict: { path: "x.log", kind: "untracked", lines: [] },
    },
    "a directory that would go has a file that git does not know": {
      mine: (folder) => put(folder, { "dir/x.log": "mine\n" }),
      files: { "dir/f": null, dir: "a file\n" },
      conflict: { path: "dir/x.log", kind: "untracked", lines: [] },
    },
    "an ignored file is where a folder is to be": {
      mine: (folder) => put(folder, { "y.log": "mine\n" }),
      files: { ".gitignore": "", "y.log/z": "agent\n" },
      conflict: { path: "y.log", kind: "untracked", lines: [] },
    },
    "a link leads elsewhere on the way": {
      mine: (folder) => symlinkSync("/tmp", join(folder, "l.log")),
      files: { ".gitignore": "", "l.log/z": "agent\n" },
      conflict: { path: "l.log", kind: "symlink", lines: [] },
    },
    "two names differ in case only": {
      mine: () => undefined,
      files: { A: "agent\n" },
      conflict: { path: "A", kind: "case", lines: [] },
    },
    "a name is a folder's in another case": {
      mine: () => undefined,
      files: { DIR: "agent\n" },
      conflict: { path: "DIR", kind: "case", lines: [] },
    },
    "two names are two forms of the same letters": {
      mine: (folder) => put(folder, { "caf\u00e9": "mine\n" }),
      files: { "cafe\u0301": "agent\n" },
      conflict: { path: "cafe\u0301", kind: "case", lines: [] },
    },
    "a file and a folder have one name": {
      mine: (folder) => put(folder, { "n/x": "mine\n" }),
      files: { n: "agent\n" },
      conflict: expect.objectContaining({ kind: expect.stringMatching(/file\/directory/) }),
    },
  };
  it.each(Object.entries(cases))("%s", { tags: ["long"] }, async (_, { mine, files, conflict }) => {
    const repository = await repositoryWith({
      ".gitignore": "*.log\n",
      a: "1\n",
      "dir/f": "1\n",
      bin: Buffer.from([0, 1]),
    });
    const agent = await agentIn(repository);
    agent.write(files);
    mine(repository.folder);
    const before = [picture(repository.folder), await persons(repository)];
    expect(await agent.prepare()).toMatchObject({ type: "conflict", conflicts: [conflict] });
    expect(await agent.apply()).toMatchObject({ type: "conflict", conflicts: [conflict] });
    expect([picture(repository.folder), await persons(repository)]).toEqual(before);
    expect(existsSync(join(repository.folder, ".git", "troupe", "merging"))).toBe(false);
    expect(await repository.must(["for-each-ref", "refs/troupe/merges"])).toBe("");
  });

  it("a rename to another case only is none of these", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ "Read.me": "hello, hello\n" });
    const agent = await agentIn(repository);
    agent.write({ "Read.me": null, "README.me": "hello, hello\n", "read.me": null });
    expect(await agent.apply()).toMatchObject({ type: "merged" });
    const other = await agentIn(repository, "a2");
    other.write({ "README.me": null, "readme.me": "hello, hello\n" });
    expect(await other.prepare()).toMatchObject({ type: "clean", strange: [] });
    expect(await other.apply()).toMatchObject({ type: "merged" });
    expect(Object.keys(picture(repository.folder))).toEqual(["readme.me"]);
  });

  it.each([
    ["a rebase", "rebase-merge"],
    ["a merge", "MERGE_HEAD"],
    ["a cherry-pick", "CHERRY_PICK_HEAD"],
  ])("git is in the middle of %s", async (what, file) => {
    const repository = await repositoryWith({ a: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n" });
    writeFileSync(join(repository.folder, ".git", file), "x");
    const reason = `${repository.folder} is in the middle of ${what}, so nothing is brought into it; finish that first.`;
    expect(await agent.prepare()).toEqual({ type: "refused", reason });
    expect(await agent.apply()).toEqual({ type: "refused", reason });
  });

  it("the disk refuses a folder", async () => {
    const repository = await repositoryWith({ a: "1\n", "b/c": "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n", "b/c": "2\n" });
    const before = picture(repository.folder);
    const full: Disk = {
      ...realDisk,
      place(from, to) {
        if (to.endsWith("b/c") && !from.includes("/aside/"))
          throw Object.assign(new Error("no room"), { code: "ENOSPC" });
        return realDisk.place(from, to);
      },
    };
    expect(await agent.apply({}, full)).toEqual({
      type: "refused",
      reason: "b/c could not be written: no room.",
    });
    expect(picture(repository.folder)).toEqual(before);
    expect(await repository.must(["for-each-ref", "refs/troupe/merges"])).toBe("");
    expect(readdirSync(join(repository.folder, ".git", "troupe", "merges"))).toEqual([]);
  });

  it.each(["at once", "by the next one after a disk error"])(
    "the user saved during the roll-back: only the other version is kept, %s (issue 15, 28)",
    async (when) => {
      const repository = await repositoryWith({ a: "1\n", "b/c": "1\n" });
      const agent = await agentIn(repository);
      agent.write({ a: "2\n", "b/c": "2\n" });
      const full: Disk = {
        ...realDisk,
        place(from, to) {
          if (!to.endsWith("b/c") || from.includes("/aside/")) return realDisk.place(from, to);
          put(repository.folder, { a: "saved\n" });
          throw Object.assign(new Error("no room"), { code: "ENOSPC" });
        },
        drop(folder) {
          if (when !== "at once") throw Object.assign(new Error("no disk"), { code: "EIO" });
          realDisk.drop(folder);
        },
      };
      await agent.apply({}, full);
      await rollBackUnfinished(join(repository.folder, ".git"), groundFor(repository, "next"));
      expect(picture(repository.folder)).toMatchObject({ a: expect.stringContaining("saved") });
      const merges = join(repository.folder, ".git", "troupe", "merges");
      const [merge = ""] = readdirSync(merges);
      expect(readdirSync(join(merges, merge)).sort()).toEqual(["aside", "journal.jsonl"]);
      expect(readFileSync(join(merges, merge, "aside", "0"), "utf8")).toBe("1\n");
    },
  );
});

describe("where the disk refuses to be written to", () => {
  const failing = (what: "append" | "drop" | "write" | "mkdir", at: (text: string) => boolean): Disk => {
    const no = (text: string) => {
      if (at(text)) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    };
    const { append, drop, write, mkdir } = realDisk;
    switch (what) {
      case "append":
        return { ...realDisk, append: (file, text) => (no(text) ?? true) && append(file, text) };
      case "drop":
        return { ...realDisk, drop: (folder) => (no(folder) ?? true) && drop(folder) };
      case "write":
        return { ...realDisk, write: (file, text) => (no(file) ?? true) && write(file, text) };
      case "mkdir":
        return { ...realDisk, mkdir: (path, mode) => (no(path) ?? true) && mkdir(path, mode) };
      default:
        return what satisfies never;
    }
  };

  it.each([
    ["the journal of the beginning", failing("append", (text) => text.includes("merge-start"))],
    ["the journal of the end", failing("append", (text) => text.includes("merge-end"))],
    ["a new folder", failing("mkdir", () => true)],
  ])("it says so, and all is as it was at the next look: %s", { tags: ["long"] }, async (_, disk) => {
    const repository = await repositoryWith({ a: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n", "n/b": "2\n" });
    const before = picture(repository.folder);
    expect(await agent.apply({}, disk)).toMatchObject({
      type: "refused",
      reason: expect.stringContaining("no space left"),
    });
    expect(picture(repository.folder)).toEqual(before);
    expect(await agent.prepare()).toMatchObject({ type: "clean", notes: [] });
    expect(existsSync(join(repository.folder, ".git", "troupe", "merging"))).toBe(false);
    expect(await agent.apply()).toMatchObject({ type: "merged" });
  });

  it("what was done by then is done, and undone", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: "1\n" });
    const before = picture(repository.folder);
    const agent = await agentIn(repository);
    agent.write({ a: "2\n" });
    const disk = failing("drop", (folder) => folder.endsWith("stage"));
    expect(await agent.apply({}, disk)).toMatchObject({
      type: "merged",
      notes: [expect.stringContaining("tidying up")],
    });
    const last = failing("drop", (folder) => folder.endsWith("aside"));
    expect(await undo(repository, {}, last)).toMatchObject({
      type: "undone",
      notes: [expect.stringContaining("tidying up")],
    });
    expect(picture(repository.folder)).toEqual(before);
    expect(await undo(repository)).toEqual({ type: "nothing" });
  });
});

it("a git that is too old for merges is named, and the edits stay", async () => {
  const repository = await repositoryWith({ a: "1\n" });
  const programs = temporaryFolder();
  const old = `case "$*" in *merge-tree*) echo usage >&2; exit 129;; *" version") echo git version 2.37.4; exit;; esac`;
  const path = repository.env["PATH"] ?? "";
  writeFileSync(join(programs, "git"), `#!/bin/sh\n${old}\nPATH='${path}' exec git "$@"\n`, { mode: 0o755 });
  const ground = groundFor(repository, "old");
  const agent = await agentIn(repository, "old", {
    ...ground,
    env: { ...ground.env, PATH: `${programs}:${path}` },
  });
  agent.write({ a: "agent\n" });
  expect(await agent.prepare()).toMatchObject({
    type: "refused",
    reason: expect.stringMatching(/needs git 2.38 or newer, and this is git version 2.37.4/),
  });
  expect(readFileSync(join(agent.tree.path, "a"), "utf8")).toBe("agent\n");
});
