import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { WorktreeResult } from "../../src/mailbox/worktree.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { DEAD, treeIn } from "../worktrees/tree-of-tests.ts";
import { startProgram } from "./cli-crash/program.ts";
import { settleConflicts } from "./cli-crash/settle-conflicts.ts";

it("the crash loop settles a conflict as the command says, and believes only real conflicts", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ a: "top\nend\n" });
  const { folder } = repository;
  const { tree, write, at } = await treeIn(repository, "agent-a1", { owner: DEAD });
  const root = dirname(folder);
  const place = {
    root,
    repository: folder,
    home: join(root, "home"),
    temporary: root,
    log: join(root, "log"),
  };
  mkdirSync(place.home);
  write("a", "top\nthe agent's\nend\n");
  writeFileSync(join(folder, "a"), "top\nthe user's\nend\n");
  const merge = () => startProgram(["worktrees", "merge", tree.name], place, {}).ended;
  const counts = { files: 1, insertions: 1, deletions: 0 };
  const { base, head, path, branch } = tree;
  const result: WorktreeResult = { outcome: "kept", ...counts, base, head, path, branch };
  const { code, err } = await merge();
  expect({ code, err }).toMatchObject({
    code: 1,
    err: expect.stringContaining("conflict with the checkout"),
  });
  expect(settleConflicts(err, { ...result, path: folder }, place)).toMatch(/^the edits are not in/);
  expect(settleConflicts("git was killed", result, place)).toBe("it names no conflict");
  expect(settleConflicts(err, result, place)).toBeNull();
  const both = readFileSync(at("a"), "utf8");
  expect(both.split("\n").sort()).toEqual(["", "end", "the agent's", "the user's", "top"]);
  expect(settleConflicts(err, result, place)).toBe("a has no conflict");
  expect(await merge()).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, "a"), "utf8")).toBe(both);
});
