import type { Worktrees } from "../../../src/worktrees/git-worker.ts";
import type { TreeListing } from "../../../src/worktrees/protocol.ts";

/** A keeper that answers what the test says, and fails where it was not told to be asked. */
export function fakeWorktrees(answers: Partial<Worktrees>): Worktrees {
  const unasked = (name: string) => () => Promise.reject(new Error(`${name} was not to be asked`));
  return {
    inspect: unasked("inspect"),
    everTracked: unasked("everTracked"),
    create: unasked("create"),
    make: unasked("make"),
    claim: unasked("claim"),
    snapshot: unasked("snapshot"),
    changedLines: unasked("changedLines"),
    prepare: unasked("prepare"),
    apply: unasked("apply"),
    settle: unasked("settle"),
    rebase: unasked("rebase"),
    keep: unasked("keep"),
    remove: unasked("remove"),
    list: unasked("list"),
    diff: unasked("diff"),
    restore: unasked("restore"),
    removeNamed: unasked("removeNamed"),
    mergeNamed: unasked("mergeNamed"),
    undo: unasked("undo"),
    exportTree: unasked("exportTree"),
    importEdits: unasked("importEdits"),
    dropRemoteRefs: unasked("dropRemoteRefs"),
    sweep: unasked("sweep"),
    close: async () => {},
    ...answers,
  };
}

export function tree(name: string, rest: Partial<TreeListing> = {}): TreeListing {
  return {
    name,
    path: `/repo/.claude/worktrees/${name}`,
    branch: `worktree-${name}`,
    owner: { session: "s1", actor: name.replace("agent-", ""), process: { pid: 1, startedAt: null } },
    alive: false,
    base: "b",
    snapshot: "c",
    at: Date.UTC(2026, 10, 20, 12, 19),
    counts: { files: 3, insertions: 41, deletions: 7 },
    result: null,
    undone: false,
    ...rest,
  };
}

export function listing(...trees: readonly TreeListing[]): Pick<Worktrees, "list"> {
  return { list: async () => ({ type: "trees", trees: [...trees] }) };
}
