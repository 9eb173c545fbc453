import { describe, expect, test } from "vitest";
import { undoEdits } from "../../../src/cli/worktrees/undo-edits.ts";
import type { Worktrees } from "../../../src/worktrees/git-worker.ts";
import type { GitRequest } from "../../../src/worktrees/protocol.ts";
import { FakeIO, type FakeIOOptions } from "../fake-io.ts";
import { fakeWorktrees, listing, tree } from "./fake-worktrees.ts";

const undone = {
  type: "undone",
  merge: "m1",
  title: "rename the parser",
  paths: ["a.ts"],
  notes: [],
} as const;
const trees = listing(tree("agent-aaaa1111", { result: "merged", path: null }), tree("agent-aabb2222"));

/** A keeper in whose checkout `a.ts` was changed since, or not. */
function keeper(changed: boolean) {
  const asked: GitRequest<"undo">[] = [];
  const undo: Worktrees["undo"] = async (request) => {
    asked.push(request);
    if (request.which === "nobody") return { type: "nothing" };
    return changed && !request.force
      ? { type: "changed", merge: "m1", title: undone.title, paths: ["a.ts"] }
      : { ...undone, paths: [...undone.paths], notes: changed ? ["a.ts is put aside in X."] : [] };
  };
  return { asked, worktrees: fakeWorktrees({ ...trees, undo }) };
}

async function run(
  given: string | undefined,
  {
    changed = false,
    force = false,
    json = false,
    ...options
  }: FakeIOOptions & { changed?: boolean; force?: boolean; json?: boolean } = {},
) {
  const { asked, worktrees } = keeper(changed);
  const io = new FakeIO({ stdin: "", ...options });
  const code = await undoEdits(given, force, { worktrees, io, folder: "/repo", json });
  return { code, out: io.out.text, err: io.err.text, asked };
}

describe("troupe undo", () => {
  test("undoes the latest merge without a question if nothing changed since", async () => {
    expect(await run(undefined)).toEqual({
      code: 0,
      out: "Undone: rename the parser\n1 file is as before the merge:\n  a.ts\n",
      err: "",
      asked: [{ folder: "/repo", which: null, force: false }],
    });
  });

  test.each([
    ["aaaa", "agent-aaaa1111"],
    ["agent-aaaa1111", "agent-aaaa1111"],
    ["m1", "m1"],
  ])("takes %s for %s", async (given, which) => {
    expect((await run(given)).asked).toMatchObject([{ which }]);
  });

  test("does not guess between two", async () => {
    await expect(run("aa")).rejects.toThrow("means more than one worktree");
  });

  test("says that there is nothing to undo, with exit code 1", async () => {
    expect(await run("nobody")).toMatchObject({
      code: 1,
      out: "",
      err: 'There is no merge of "nobody" to undo: it has none, or it is undone already; troupe worktrees list shows whose edits were merged.\n',
    });
  });

  test("names what changed since, and needs --force if no user can be asked", async () => {
    expect(await run(undefined, { changed: true })).toMatchObject({
      code: 1,
      out: "",
      err: 'This file was changed since the merge of "rename the parser":\n  a.ts\nNothing was undone. To undo it anyway, add --force: what the files are now is saved first.\n',
    });
    const forced = await run(undefined, { changed: true, force: true });
    expect(forced).toMatchObject({ code: 0, err: "a.ts is put aside in X.\n" });
    expect(forced.asked).toHaveLength(1);
  });

  test.each([
    ["y\n", 0],
    ["Yes\n", 0],
    ["\n", 1],
    ["n\n", 1],
    ["yesterday\n", 1],
    ["", 1],
  ])("at a terminal it asks once; %j ends with %d", async (stdin, expected) => {
    const terminal = { stdinIsTTY: true, stderrIsTTY: true, stdin };
    const { code, err, asked } = await run(undefined, { changed: true, ...terminal });
    expect(code).toBe(expected);
    expect(err).toContain("  a.ts\nUndo anyway? What the files are now is saved first. [y/N] ");
    expect(err.includes("Nothing was undone.")).toBe(expected === 1);
    expect(asked.slice(1)).toEqual(expected === 0 ? [{ folder: "/repo", which: "m1", force: true }] : []);
  });

  test("with --json asks nothing and says everything", async () => {
    const terminal = { stdinIsTTY: true, stderrIsTTY: true, stdin: "y\n" };
    const { code, out, asked } = await run(undefined, { changed: true, json: true, ...terminal });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ type: "changed", paths: ["a.ts"] });
    expect(asked).toHaveLength(1);
    expect(JSON.parse((await run(undefined, { json: true })).out)).toMatchObject(undone);
  });
});
