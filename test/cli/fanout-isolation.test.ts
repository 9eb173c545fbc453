import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import type { WorktreeResult } from "../../src/mailbox/worktree.ts";
import { foldersWith } from "../settings/folders.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime, type FakeScript, summary } from "./fake-session.ts";

class EditingRuntime extends FakeRuntime {
  override async listAgents() {
    const editing = { name: "general-purpose", aliases: [], whenToUse: "Does things.", tools: ["Edit"] };
    return [...(await super.listAgents()), editing];
  }
}

async function run(argv: readonly string[], script: FakeScript) {
  const io = new FakeIO();
  const runtime = new EditingRuntime(script);
  const code = await main([...argv, "--offline"], io, runtime);
  return { code, out: io.out.text, err: io.err.text, runtime };
}

describe("troupe fanout --isolation worktree", () => {
  const edits = { files: 2, insertions: 5, deletions: 1, base: "b", head: "h" };
  const results: Readonly<Record<string, WorktreeResult>> = {
    merged: { ...edits, outcome: "merged", merge: "m1" },
    empty: { ...edits, files: 0, insertions: 0, deletions: 0, outcome: "empty" },
    kept: { ...edits, outcome: "kept", branch: "worktree-k", path: "/k" },
    held: { ...edits, outcome: "merged", merge: "m1", held: ["gone.ts"] },
    conflict: {
      ...edits,
      outcome: "conflict",
      branch: "worktree-c",
      path: "/c",
      conflicts: [{ path: "src/a.ts", kind: "content", lines: [{ from: 3, to: 9 }] }],
    },
  };
  const script: FakeScript = {
    answer(task) {
      const worktree = results[task];
      return { ...summary("done", `about ${task}`), ...(worktree === undefined ? {} : { worktree }) };
    },
  };
  const isolated = ["fanout", "--isolation", "worktree"];

  test("asks for it, for general-purpose agents where none are named (A11.6)", async () => {
    const { runtime } = await run([...isolated, "--merge", "commit", "a"], script);
    expect(runtime.only.spawns).toMatchObject([
      { type: "general-purpose", isolation: "worktree", merge: "commit", prompt: "a" },
    ]);
    const { runtime: plain } = await run(["fanout", "a"], script);
    expect(plain.only.spawns[0]).not.toHaveProperty("isolation");
    expect(plain.only.spawns[0]).not.toHaveProperty("merge");
    const { runtime: named } = await run([...isolated, "--agent", "code-reviewer", "a"], script);
    expect(named.only.spawns).toMatchObject([{ type: "code-reviewer", isolation: "worktree" }]);
  });

  test("reports the edits under each summary", async () => {
    const { code, out } = await run([...isolated, "merged", "empty"], script);
    expect(code).toBe(0);
    expect(out).toBe(
      "## ✓ 1. merged\n\nabout merged\n\n2 files, +5 -1, merged; undo: troupe undo agent1\n\n## ✓ 2. empty\n\nabout empty\n\nno edits\n",
    );
  });

  test.each([
    ["merged", [], 0],
    ["empty", [], 0],
    ["conflict", [], 1],
    ["conflict", ["--merge", "keep"], 1],
    ["kept", [], 1],
    ["kept", ["--merge", "ask"], 1],
    ["kept", ["--merge", "keep"], 0],
    ["held", [], 1],
  ] as const)("with edits %s and %j ends with %d", async (task, flags, expected) => {
    const { code, out } = await run([...isolated, ...flags, "--json", task], script);
    expect(code).toBe(expected);
    expect(JSON.parse(out)).toMatchObject({
      subtype: expected === 0 ? "success" : "partial",
      is_error: expected === 1,
      results: [{ status: "done", worktree: results[task] }],
      agents: [{ worktree: results[task] }],
    });
  });

  test.each([
    [["fanout", "--merge", "keep", "a"], "add --isolation worktree, or leave it out."],
    [["fanout", "--isolation", "container", "a"], "--isolation cannot be"],
    [[...isolated, "--merge", "kep", "a"], "did you mean keep?"],
  ])("%j is wrong usage", async (argv, sentence) => {
    const { code, err } = await run(argv, script);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });

  test("settings say how edits are merged if no flag does", async () => {
    const folders = foldersWith({ user: { worktree: { merge: "keep" } } });
    const io = Object.assign(new FakeIO({ homedir: folders.homedir, cwd: folders.root, stdin: "" }), {
      managedSettings: folders.managed,
    });
    const runtime = new EditingRuntime(script);
    expect(await main([...isolated, "--offline", "kept"], io, runtime)).toBe(0);
    expect(runtime.only.options.worktree).toMatchObject({ merge: "keep" });
    expect(runtime.only.spawns[0]).not.toHaveProperty("merge");
  });
});
