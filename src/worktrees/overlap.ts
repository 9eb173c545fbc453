import type * as z from "zod/mini";
import type { Worktree } from "../mailbox/worktree.ts";
import { PLAIN_DIFF } from "./changes.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { collide, hunksOf } from "./hunks.ts";
import { snapshotRef } from "./layout.ts";
import { answered, checkoutAt } from "./refusal.ts";
import type { OverlapAnswer, OverlapRequest } from "./requests.ts";

type Overlap = z.infer<typeof OverlapAnswer>;

/**
 * Of the newest snapshots, which every call that may write is followed by. `unknown`: the trees began from different
 * contents of the file, so that its lines have no numbers in common.
 */
export function overlapOf(request: z.infer<typeof OverlapRequest>, ground: GitEnvironment): Promise<Overlap> {
  return answered(async () => overlap(await checkoutAt(request.one.checkout, ground), request));
}

async function overlap(
  repo: Repository,
  { one, other, path }: z.infer<typeof OverlapRequest>,
): Promise<Overlap> {
  const [mine, theirs] = await Promise.all([blobOf(repo, one, path), blobOf(repo, other, path)]);
  if (mine !== theirs) return { type: "overlap", lines: "unknown" };
  const [left, right] = await Promise.all([diffOf(repo, one, path), diffOf(repo, other, path)]);
  if (left === null || right === null) return { type: "overlap", lines: "unknown" };
  if (left === "" || right === "") return { type: "overlap", lines: "others" };
  const [some, others] = [hunksOf(left), hunksOf(right)];
  // A file that both made, or that has no lines, is one place.
  const isOne = mine === null || some === null || others === null;
  return { type: "overlap", lines: isOne || collide(some, others) ? "same" : "others" };
}

/** Null: the base does not have it. */
async function blobOf(repo: Repository, { base }: Worktree, path: string): Promise<string | null> {
  const { code, out } = await repo.git.run(["rev-parse", "-q", "--verify", `${base}:${path}`]);
  return code === 0 ? out.trim() : null;
}

/** Empty: it is as it was. Null: it cannot be read. */
async function diffOf(repo: Repository, { base, name }: Worktree, path: string): Promise<string | null> {
  const { out } = await repo.git.run(["rev-parse", "--revs-only", snapshotRef(name)]);
  if (out.trim() === "") return "";
  const args = [...PLAIN_DIFF, "-U0", base, out.trim(), "--", `:(top,literal)${path}`];
  const diff = await repo.git.run(args);
  return diff.code === 0 ? diff.out : null;
}
