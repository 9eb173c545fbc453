import { randomUUID } from "node:crypto";
import { isAlive, processIdentity } from "../../src/journal/process-identity.ts";
import type { Worktree } from "../../src/mailbox/worktree.ts";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import { realDisk } from "../../src/worktrees/merge/disk.ts";
import { dyingDisk } from "./merge/dying-disk.ts";
import { mergeStep } from "./merge-steps.ts";
import {
  createTree,
  keepTree,
  makeTree,
  removeTree,
  restoreTree,
  snapshotTree,
  sweep,
} from "./operations.ts";
import { DEAD } from "./tree-of-tests.ts";

/** One operation in a process of its own, which the git that it starts may kill. Says nothing. */
export type KilledOp =
  | "create"
  | "defer"
  | "make"
  | "snapshot"
  | "remove"
  | "restore"
  | "sweep"
  | "keep"
  | "prepare"
  | "check"
  | "apply"
  | "undo";

const [given, treeText = "", envText = "", dieAt = ""] = process.argv.slice(2);
const op = given as KilledOp;
const tree: Worktree = JSON.parse(treeText);
const ground: GitEnvironment = {
  env: JSON.parse(envText),
  now: () => Date.now(),
  id: () => randomUUID().replaceAll("-", ""),
  self: processIdentity(process.pid),
  isAlive,
  // Or it kills itself, between two steps of writing to the disk.
  disk: dieAt === "" ? realDisk : dyingDisk(Number(dieAt), die).disk,
};
const folder = tree.checkout;

function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;);
}

switch (op) {
  case "make":
    await makeTree({ tree }, ground);
    break;
  case "defer":
  case "create": {
    // Another one than that of the tree that is played with.
    const name = `${tree.name}-${ground.id().slice(0, 8)}`;
    const request = { folder, name, owner: DEAD, baseRef: "checkout" as const, dependencies: [] };
    await createTree(op === "create" ? request : { ...request, travels: true, deferred: true }, ground);
    break;
  }
  case "snapshot":
    await snapshotTree({ tree, files: null }, ground);
    break;
  case "remove":
    await removeTree({ tree }, ground);
    break;
  case "restore":
    await restoreTree({ folder, name: tree.name }, ground);
    break;
  case "sweep":
    await sweep({ folder }, ground);
    break;
  case "keep":
    await keepTree({ tree, message: "Kept" }, ground);
    break;
  case "prepare":
  case "check":
  case "apply":
  case "undo":
    await mergeStep(op, tree, ground);
    break;
  default:
    op satisfies never;
}
