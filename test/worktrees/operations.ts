import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import { operations } from "../../src/worktrees/operations.ts";
import type { GitRequest, OperationName, RefusedRequest, SuccessOf } from "../../src/worktrees/protocol.ts";
import { answered } from "../../src/worktrees/refusal.ts";

type Op = Exclude<OperationName, "everTracked">;

/** As the git worker answers: what is impossible is an answer, too. */
function answering<One extends Op>(op: One) {
  return (
    request: GitRequest<One>,
    ground: GitEnvironment,
    signal?: AbortSignal,
  ): Promise<SuccessOf<One> | RefusedRequest> =>
    answered(() => operations[op](request, { ...ground, signal }));
}

export const inspect = answering("inspect");
export const createTree = answering("create");
export const makeTree = answering("make");
export const claimTree = answering("claim");
export const snapshotTree = answering("snapshot");
export const changedLinesOf = answering("changedLines");
export const prepareMerge = answering("prepare");
export const applyMerge = answering("apply");
export const settleTree = answering("settle");
export const rebaseTree = answering("rebase");
export const keepTree = answering("keep");
export const removeTree = answering("remove");
export const listTrees = answering("list");
export const diffTree = answering("diff");
export const restoreTree = answering("restore");
export const removeNamedTree = answering("removeNamed");
export const mergeNamedTree = answering("mergeNamed");
export const undoMerge = answering("undo");
export const exportTree = answering("exportTree");
export const importEdits = answering("importEdits");
export const dropRemoteRefs = answering("dropRemoteRefs");
export const sweep = answering("sweep");
