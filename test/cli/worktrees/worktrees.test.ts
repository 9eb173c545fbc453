import { describe, expect, test } from "vitest";
import {
  diffWorktree,
  listWorktrees,
  removeWorktree,
  restoreWorktree,
  sweepWorktrees,
  type WorktreeContext,
} from "../../../src/cli/worktrees/worktree-actions.ts";
import type { Worktrees } from "../../../src/worktrees/git-worker.ts";
import { FakeIO, type FakeIOOptions } from "../fake-io.ts";
import { fakeWorktrees, listing, tree } from "./fake-worktrees.ts";

async function run(
  command: (about: WorktreeContext) => Promise<number>,
  answers: Partial<Worktrees>,
  { json = false, ...options }: FakeIOOptions & { json?: boolean } = {},
) {
  const io = new FakeIO(options);
  const code = await command({ worktrees: fakeWorktrees(answers), io, folder: "/repo", json });
  return { code, out: io.out.text, err: io.err.text };
}

const two = listing(tree("agent-aaaa1111", { result: "merged", path: null }), tree("agent-aabb2222"));

describe("troupe worktrees list", () => {
  test("has a line for each with its status, newest first", async () => {
    const trees = listing(
      tree("agent-aaaa1111", { result: "merged", path: null, at: 1 }),
      tree("agent-bbbb2222", { alive: true }),
      tree("feature", { result: "conflict", path: "/else/feature", at: 2, counts: null }),
      tree("agent-cccc3333", { at: 3, counts: { files: 1, insertions: 0, deletions: 12 } }),
      tree("agent-dddd4444", { at: 0, path: null, counts: null }),
      tree("agent-eeee5555", { at: -1, path: null, result: "merged", undone: true }),
    );
    const { code, out, err } = await run(listWorktrees, trees);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatchInlineSnapshot(`
      "agent-bbbb2222  at work      3 files +41 -7  2026-11-20 12:19 UTC  .claude/worktrees/agent-bbbb2222
      agent-cccc3333  left behind  1 file +0 -12   1970-01-01 00:00 UTC  .claude/worktrees/agent-cccc3333
      feature         conflict                     1970-01-01 00:00 UTC  /else/feature
      agent-aaaa1111  merged       3 files +41 -7  1970-01-01 00:00 UTC  (only its snapshots)
      agent-dddd4444  removed                      1970-01-01 00:00 UTC  (only its snapshots)
      agent-eeee5555  undone       3 files +41 -7  1969-12-31 23:59 UTC  (only its snapshots)
      "
    `);
    const json = await run(listWorktrees, trees, { json: true });
    expect(JSON.parse(json.out)).toMatchObject([
      { name: "agent-bbbb2222", state: "at work" },
      {},
      {},
      {},
      {},
      { name: "agent-eeee5555", state: "undone" },
    ]);
  });

  test("says that no worktree was found; throws why the list cannot be read", async () => {
    expect(await run(listWorktrees, listing())).toEqual({
      code: 0,
      out: "",
      err: "No agent has a worktree in this repository, and none has left one.\n",
    });
    expect(await run(listWorktrees, listing(), { json: true })).toEqual({ code: 0, out: "[]\n", err: "" });
    const refusal = { type: "refused" as const, reason: "No repository." };
    const refused = { list: async () => refusal };
    const asRefused = { message: refusal.reason };
    await expect(run(listWorktrees, refused)).rejects.toMatchObject(asRefused);
    for (const command of [diffWorktree, restoreWorktree] as const)
      await expect(run((about) => command("a", about), refused)).rejects.toMatchObject(asRefused);
    await expect(run((about) => removeWorktree("a", false, about), refused)).rejects.toMatchObject(asRefused);
  });
});

describe("a worktree is named", () => {
  const restored: Partial<Worktrees> = {
    ...two,
    restore: async ({ name }) => ({ type: "restored", path: `/repo/${name}`, branch: "b" }),
  };
  test.each(["agent-aabb2222", "worktree-agent-aabb2222", "aabb2222", "aab", "agent-aab"])(
    "by %s",
    async (given) => {
      expect(await run((about) => restoreWorktree(given, about), restored)).toEqual({
        code: 0,
        out: "agent-aabb2222 is restored with everything it held last: /repo/agent-aabb2222, on branch b.\n",
        err: "",
      });
    },
  );

  test.each([
    ["aa", '"aa" means more than one worktree: agent-aaaa1111, agent-aabb2222; give more of its name.'],
    ["zz", 'There is no worktree "zz" in this repository; troupe worktrees list shows them.'],
    [
      "../../etc",
      'There is no worktree "../../etc": give its name, its branch or its agent\'s ID, not a path; troupe worktrees list shows them.',
    ],
    ["", 'There is no worktree "" in this repository; troupe worktrees list shows them.'],
  ])("not by %j", async (given, sentence) => {
    await expect(run((about) => restoreWorktree(given, about), restored)).rejects.toThrow(sentence);
  });

  test("by its own name where the conversation has made several", async () => {
    const owner = { session: "s1", actor: "main", process: { pid: 1, startedAt: null } };
    const trees = { ...restored, ...listing(tree("fix", { owner }), tree("main", { owner })) };
    expect((await run((about) => restoreWorktree("main", about), trees)).out).toContain("/repo/main,");
    const both = { ...restored, ...listing(tree("fix", { owner }), tree("tests", { owner })) };
    await expect(run((about) => restoreWorktree("main", about), both)).rejects.toThrow("fix, tests");
  });

  test("by its whole name where another begins with it", async () => {
    const trees = { ...restored, ...listing(tree("fix"), tree("fix-2")) };
    expect((await run((about) => restoreWorktree("fix", about), trees)).out).toContain("/repo/fix,");
  });
});

describe("troupe worktrees diff", () => {
  const text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- a comment\n-\u001b[2Jold\n+new\n";
  const answers: Partial<Worktrees> = {
    ...two,
    diff: async () => ({ type: "diff", text, counts: { files: 1, insertions: 1, deletions: 2 } }),
  };

  test("is what git says, and nothing else on stdout", async () => {
    expect(await run((about) => diffWorktree("aab", about), answers)).toEqual({
      code: 0,
      out: text,
      err: "agent-aabb2222: 1 file changed, +1 -2\n",
    });
    const json = await run((about) => diffWorktree("aab", about), answers, { json: true });
    expect(JSON.parse(json.out)).toEqual({
      name: "agent-aabb2222",
      files: 1,
      insertions: 1,
      deletions: 2,
      text,
    });
  });

  test("has colours on a terminal, and no file can move the cursor", async () => {
    const { out } = await run((about) => diffWorktree("aab", about), answers, { stdoutIsTTY: true });
    expect(out).toContain("\u001b[1m--- a/x\u001b[22m\n");
    expect(out).toContain(
      "\u001b[31m--- a comment\u001b[39m\n\u001b[31m-old\u001b[39m\n\u001b[32m+new\u001b[39m\n",
    );
    expect(out).not.toContain("\u001b[2J");
  });

  test("says that there are no edits", async () => {
    const counts = { files: 0, insertions: 0, deletions: 0 };
    const none: Partial<Worktrees> = { ...two, diff: async () => ({ type: "diff", text: "", counts }) };
    expect(await run((about) => diffWorktree("aab", about), none)).toEqual({
      code: 0,
      out: "",
      err: "agent-aabb2222: it has no edits\n",
    });
  });
});

describe("troupe worktrees remove", () => {
  const unsaved: Partial<Worktrees> = {
    ...two,
    removeNamed: async ({ force }) =>
      force
        ? { type: "removed", ref: "refs/troupe/trees/agent-aabb2222" }
        : { type: "unsaved", paths: ["src/a.ts", "b\u001b[2J"] },
  };

  test("takes away nothing that is in no checkout, and says what and how (A16.3)", async () => {
    expect(await run((about) => removeWorktree("aab", false, about), unsaved)).toEqual({
      code: 1,
      out: "",
      err: "agent-aabb2222 has edits that are in no checkout, so it was not removed:\n  src/a.ts\n  b\nTo remove it anyway, add --force: its snapshots stay, and troupe worktrees restore agent-aabb2222 restores it.\n",
    });
    const json = await run((about) => removeWorktree("aab", false, about), unsaved, { json: true });
    expect({ ...json, out: JSON.parse(json.out) }).toMatchObject({
      code: 1,
      out: { name: "agent-aabb2222", type: "unsaved", paths: ["src/a.ts", "b\u001b[2J"] },
    });
  });

  test("with --force says what brings it back", async () => {
    expect(await run((about) => removeWorktree("aab", true, about), unsaved)).toEqual({
      code: 0,
      out: "agent-aabb2222 is removed. Its snapshots stay in refs/troupe/trees/agent-aabb2222; troupe worktrees restore agent-aabb2222 restores it.\n",
      err: "",
    });
  });

  test("names forty files and counts the rest", async () => {
    const paths = Array.from({ length: 43 }, (_, index) => `f${index}`);
    const many: Partial<Worktrees> = { ...two, removeNamed: async () => ({ type: "unsaved", paths }) };
    const { err } = await run((about) => removeWorktree("aab", false, about), many);
    expect(err).toContain("  f39\n  and 3 more\n");
  });
});

describe("troupe worktrees sweep", () => {
  test("says what went, what stayed and why", async () => {
    const sweep: Worktrees["sweep"] = async () => ({
      type: "swept",
      removed: ["one", "two"],
      left: [{ name: "three", why: "its agent is at work." }],
      rolledBack: ["m1"],
    });
    expect(await run(sweepWorktrees, { sweep })).toEqual({
      code: 0,
      out: "Removed one; all of it is in a snapshot.\nRemoved two; all of it is in a snapshot.\nRolled back the merge m1, which was cut off halfway.\nLeft three alone: its agent is at work.\n",
      err: "",
    });
    const json = await run(sweepWorktrees, { sweep }, { json: true });
    expect(JSON.parse(json.out)).toMatchObject({ removed: ["one", "two"], rolledBack: ["m1"] });
    const nothing: Worktrees["sweep"] = async () => ({
      type: "swept",
      removed: [],
      left: [],
      rolledBack: [],
    });
    expect((await run(sweepWorktrees, { sweep: nothing })).err).toBe("There was nothing to remove.\n");
  });
});
