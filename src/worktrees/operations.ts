import { claimTree } from "./claim.ts";
import { createTree } from "./create.ts";
import { diffTree } from "./diff.ts";
import type { GitEnvironment } from "./environment.ts";
import { Histories } from "./ever-tracked.ts";
import { inspect } from "./inspect.ts";
import { keepTree } from "./keep.ts";
import { listTrees } from "./list.ts";
import { applyMerge } from "./merge/apply.ts";
import { prepareMerge } from "./merge/prepare.ts";
import { rebaseTree } from "./merge/rebase.ts";
import { settleTree } from "./merge/settle.ts";
import { undoMerge } from "./merge/undo.ts";
import { mergeNamedTree } from "./merge-named.ts";
import { overlapOf } from "./overlap.ts";
import type { AnswerOf, GitRequest, OperationName } from "./protocol.ts";
import { removeTree } from "./remove.ts";
import { removeNamedTree } from "./remove-named.ts";
import { restoreTree } from "./restore.ts";
import { sweep } from "./sweep.ts";
import { snapshotTree } from "./tree-snapshot.ts";

/** Rejects only for a bug, or with the signal's reason. */
export type GitOperation<Op extends OperationName> = (
  request: GitRequest<Op>,
  ground: GitEnvironment,
  signal: AbortSignal,
) => Promise<AnswerOf<Op>>;

export type Operations = { readonly [Op in OperationName]: GitOperation<Op> };

/** The operations without state between two requests. */
export const operations: Omit<Operations, "everTracked"> = {
  inspect,
  create: createTree,
  claim: claimTree,
  snapshot: snapshotTree,
  overlap: overlapOf,
  prepare: prepareMerge,
  apply: (request, ground) => applyMerge(request, ground),
  settle: (request, ground) => settleTree(request, ground),
  rebase: (request, ground) => rebaseTree(request, ground),
  keep: keepTree,
  remove: removeTree,
  list: listTrees,
  diff: diffTree,
  restore: restoreTree,
  removeNamed: removeNamedTree,
  mergeNamed: mergeNamedTree,
  undo: (request, ground) => undoMerge(request, ground),
  sweep,
};

/** Returns all operations, with the state of one git worker. */
export function makeOperations(): Operations {
  const histories = new Histories();
  return {
    ...operations,
    everTracked: (request, ground, signal) => histories.lookUp(request, ground, signal),
  };
}
