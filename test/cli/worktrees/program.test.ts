import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { troupe } from "../../support/cli-process.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { DEAD, type TestTree, treeIn } from "../../worktrees/tree-of-tests.ts";

/** The built program, in this repository. */
function inside({ repository }: TestTree, ...argv: readonly string[]) {
  return troupe(argv, { cwd: repository.folder, home: dirname(repository.folder) });
}

/** What an agent of a dead process has left: one file changed, one new, none of it in the checkout. */
async function leftBehind(): Promise<TestTree> {
  const tree = await treeIn(await repositoryWith({ "a.txt": "one\ntwo\n" }), "agent-3fk2aaaa", {
    owner: { ...DEAD, actor: "3fk2aaaa" },
    at: Date.UTC(2026, 10, 20, 12, 19),
  });
  tree.write("a.txt", "one\nTWO\n");
  tree.write("new.txt", "new\n");
  await tree.snapshot();
  return tree;
}

describe("the built program, over a real repository", () => {
  test("lists, shows, removes and restores what an agent left (A16.3)", { tags: ["long"] }, async () => {
    const tree = await leftBehind();
    const listed = await inside(tree, "worktrees", "list");
    expect(listed.err).toBe("");
    expect(listed.out).toMatch(
      /^agent-3fk2aaaa {2}left behind {2}2 files \+2 -1 {2}\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}\.claude\/worktrees\/agent-3fk2aaaa\n$/,
    );

    const shown = await inside(tree, "worktrees", "diff", "3fk2");
    expect(shown).toMatchObject({ code: 0, err: "agent-3fk2aaaa: 2 files changed, +2 -1\n" });
    expect(shown.out).toContain("-two\n+TWO\n");

    const refused = await inside(tree, "worktrees", "remove", "3fk2");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain(
      "has edits that are in no checkout, so it was not removed:\n  a.txt\n  new.txt\n",
    );
    expect(existsSync(tree.at("new.txt"))).toBe(true);

    const removed = await inside(tree, "worktrees", "remove", "3fk2", "--force", "--json");
    expect(removed.json()).toEqual({
      name: "agent-3fk2aaaa",
      type: "removed",
      ref: "refs/troupe/trees/agent-3fk2aaaa",
    });
    expect(existsSync(tree.tree.path)).toBe(false);
    expect((await inside(tree, "worktrees", "diff", "3fk2")).out).toBe(shown.out);

    const restored = await inside(tree, "worktrees", "restore", "3fk2");
    expect(restored.out).toBe(
      `agent-3fk2aaaa is restored with everything it held last: ${tree.tree.path}, on branch worktree-agent-3fk2aaaa.\n`,
    );
    expect(readFileSync(tree.at("a.txt"), "utf8")).toBe("one\nTWO\n");

    const swept = await inside(tree, "worktrees", "sweep");
    expect(swept.out).toBe("Left agent-3fk2aaaa alone: 2 changed files are in no checkout.\n");
    expect(existsSync(tree.at("new.txt"))).toBe(true);
  });

  test("runs nothing that the repository's configuration names, until the directory is trusted", {
    tags: ["long"],
  }, async () => {
    const tree = await leftBehind();
    const ran = `${tree.repository.folder}-ran`;
    await tree.repository.must(["config", "filter.evil.clean", `touch ${ran}; cat`]);
    await tree.repository.must(["config", "filter.evil.smudge", `touch ${ran}; cat`]);
    tree.write(".gitattributes", "* filter=evil\n");
    tree.write("a.txt", "one more\n");
    for (const action of [
      ["sweep"],
      ["remove", "3fk2"],
      ["remove", "3fk2", "--force"],
      ["restore", "3fk2"],
    ]) {
      const done = await inside(tree, "worktrees", ...action);
      expect(done).toMatchObject({ code: 1, out: "" });
      expect(done.err).toMatch(/^Nothing was done .*filter.evil.*--trust agrees to it for one run\.\n$/);
    }
    for (const action of [["list"], ["diff", "3fk2"]])
      expect(await inside(tree, "worktrees", ...action)).toMatchObject({ code: 0 });
    expect(existsSync(ran)).toBe(false);
    expect(await inside(tree, "worktrees", "remove", "3fk2", "--force", "--trust")).toMatchObject({
      code: 0,
    });
    expect(existsSync(ran)).toBe(true);
  });

  test("prints one sentence without a repository", { tags: ["long"] }, async () => {
    const cwd = temporaryFolder();
    for (const argv of [
      ["worktrees", "list"],
      ["worktrees", "diff", "x"],
    ]) {
      const { code, out, err } = await troupe(argv, { cwd });
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/^[^\n]+ is in no git repository[^\n]*\n$/);
    }
  });
});
