import { describe, expect, test } from "vitest";
import { mergeEdits } from "../../../src/cli/worktrees/merge-edits.ts";
import type { Worktrees } from "../../../src/worktrees/git-worker.ts";
import { FakeIO, type FakeIOOptions } from "../fake-io.ts";
import { fakeWorktrees, listing, tree } from "./fake-worktrees.ts";

type Merge = Worktrees["mergeNamed"];
type Answer = Awaited<ReturnType<Merge>>;

const counts = { files: 2, insertions: 5, deletions: 3 };
const merged = {
  type: "merged",
  ...counts,
  merge: "m1",
  checkout: "/repo",
  paths: ["a.ts", "b.ts"],
} as const;

/** A keeper whose tree deletes these files, or answers this. */
async function run(
  { deletes = [], answer }: { deletes?: string[]; answer?: Answer },
  { deleting = false, json = false, ...options }: FakeIOOptions & { deleting?: boolean; json?: boolean } = {},
) {
  const asked: string[] = [];
  const mergeNamed: Merge = async ({ name, deletions }) => {
    asked.push(`${name} ${deletions}`);
    if (answer !== undefined) return answer;
    if (deletions === "ask" && deletes.length > 0) return { type: "deletes", paths: deletes };
    return { ...merged, paths: [...merged.paths], held: deletions === "hold" ? deletes : [], notes: [] };
  };
  const io = new FakeIO({ stdin: "", ...options });
  const worktrees = fakeWorktrees({ ...listing(tree("agent-aaaa1111", { result: "kept" })), mergeNamed });
  const code = await mergeEdits("aaaa", deleting, { worktrees, io, folder: "/repo", json });
  return { code, out: io.out.text, err: io.err.text, asked };
}

describe("troupe worktrees merge", () => {
  test("says what came into which checkout, and how to take it back", async () => {
    expect(await run({})).toEqual({
      code: 0,
      out: "The edits of agent-aaaa1111 (2 files, +5 -3) are in /repo, not committed; troupe undo agent-aaaa1111 undoes the merge.\n  a.ts\n  b.ts\n",
      err: "",
      asked: ["agent-aaaa1111 hold"],
    });
  });

  test("asks on a terminal about what the edits delete (C15)", async () => {
    const terminal = { stdinIsTTY: true, stderrIsTTY: true };
    const yes = await run({ deletes: ["old.ts"] }, { ...terminal, stdin: "y\n" });
    expect(yes.err).toContain("Its edits delete:\n  old.ts\nDelete them in the checkout too?");
    expect(yes.asked).toEqual(["agent-aaaa1111 ask", "agent-aaaa1111 do"]);
    const no = await run({ deletes: ["old.ts"] }, { ...terminal, stdin: "\n" });
    expect(no.asked).toEqual(["agent-aaaa1111 ask", "agent-aaaa1111 hold"]);
    expect(no.err).toContain(
      "They also delete these files, which stay:\n  old.ts\ntroupe worktrees merge agent-aaaa1111 --delete deletes them.\n",
    );
  });

  test("says that edits were merged before, with exit code 0", async () => {
    const { code, out, err } = await run({ answer: { type: "already", notes: [] } });
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toContain("The edits of agent-aaaa1111 were merged before, so nothing was changed.");
  });

  test("leaves them if no user can be asked, and deletes them with --delete", async () => {
    const left = await run({ deletes: ["old.ts"] });
    expect(left).toMatchObject({ code: 0, asked: ["agent-aaaa1111 hold"] });
    expect(left.err).toBe(
      "They also delete these files, which stay:\n  old.ts\ntroupe worktrees merge agent-aaaa1111 --delete deletes them.\n",
    );
    expect(await run({ deletes: ["old.ts"] }, { deleting: true })).toMatchObject({
      err: "",
      asked: ["agent-aaaa1111 do"],
    });
  });

  test("changes nothing if only deletions are left, with exit code 1", async () => {
    const { code, out, err } = await run({ answer: { type: "deletes", paths: ["old.ts"] } });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe(
      "Nothing was changed: all that is left of the edits of agent-aaaa1111 deletes files:\n  old.ts\ntroupe worktrees merge agent-aaaa1111 --delete deletes them.\n",
    );
  });

  test("a conflict changes nothing, with exit code 1", async () => {
    const answer: Answer = {
      ...{ type: "conflict", ...counts, notes: [], path: "/t", branch: "worktree-a" },
      conflicts: [{ path: "a.ts", kind: "content", lines: [{ from: 3, to: 5 }] }],
    };
    const { code, out, err } = await run({ answer });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe(
      "The edits of agent-aaaa1111 conflict with the checkout, so nothing was changed:\n  a.ts\nThey stay in /t, on branch worktree-a. Make these places alike and try again; or have its agent settle them (troupe --resume s1, then /resume aaaa1111 TEXT), unless it was started to keep its edits on their branch.\n",
    );
    expect(JSON.parse((await run({ answer }, { json: true })).out)).toMatchObject({
      name: "agent-aaaa1111",
      type: "conflict",
    });
  });

  test("says that there is nothing to merge, with the notes", async () => {
    expect(await run({ answer: { type: "empty", notes: ["It is locked."] } })).toMatchObject({
      code: 0,
      out: "",
      err: "agent-aaaa1111 has nothing to merge: it has no edits, or the checkout has them already.\nIt is locked.\n",
    });
  });
});
