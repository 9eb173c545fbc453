import type { Worktree } from "../mailbox/worktree.ts";
import { PLAIN_DIFF } from "./changes.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { snapshotRef } from "./layout.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { repositoryAt } from "./repository.ts";

/**
 * Compares the newest snapshots; every call that may write is followed by one. `unknown` if the worktrees started from
 * different contents of the file, so that line numbers do not match.
 */
export async function overlapOf(
  { one, other, path }: GitRequest<"overlap">,
  ground: GitEnvironment,
): Promise<SuccessOf<"overlap">> {
  const repo = await repositoryAt(one.checkout, ground);
  const [mine, theirs] = await Promise.all([blobOf(repo, one, path), blobOf(repo, other, path)]);
  if (mine !== theirs) return { type: "overlap", lines: "unknown" };
  const [left, right] = await Promise.all([diffOf(repo, one, path), diffOf(repo, other, path)]);
  if (left === null || right === null) return { type: "overlap", lines: "unknown" };
  if (left === "" || right === "") return { type: "overlap", lines: "others" };
  const [some, others] = [hunksOf(left), hunksOf(right)];
  // A file that both created, or without lines, counts as one region.
  const isOne = mine === null || some === null || others === null;
  return { type: "overlap", lines: isOne || collide(some, others) ? "same" : "others" };
}

/** Returns null if the base does not have the file. */
async function blobOf(repo: Repository, { base }: Worktree, path: string): Promise<string | null> {
  const { code, out } = await repo.git.run(["rev-parse", "-q", "--verify", `${base}:${path}`]);
  return code === 0 ? out.trim() : null;
}

/** Returns an empty string if the file is unchanged, or null if it cannot be read. */
async function diffOf(repo: Repository, { base, name }: Worktree, path: string): Promise<string | null> {
  const { out } = await repo.git.run(["rev-parse", "--revs-only", snapshotRef(name)]);
  if (out.trim() === "") return "";
  const args = [...PLAIN_DIFF, "-U0", base, out.trim(), "--", `:(top,literal)${path}`];
  const diff = await repo.git.run(args);
  return diff.code === 0 ? diff.out : null;
}

/** Lines of the base that a change replaces: from `start` up to, not including, `end`, counted from 0. */
export interface Hunk {
  readonly start: number;
  /** Equal to `start` if lines were only added. */
  readonly end: number;
}

/** Parses a diff of one file without context. Returns null if the file is binary. */
export function hunksOf(diff: string): Hunk[] | null {
  if (/^Binary files .* differ$/m.test(diff) || /^GIT binary patch$/m.test(diff)) return null;
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/gm)].map(([, line, count = "1"]) => {
    const lines = Number(count);
    // Git names the first removed line, or the line before if none was removed.
    const start = lines === 0 ? Number(line) : Number(line) - 1;
    return { start, end: start + lines };
  });
}

/** True if git could not merge them: adjacent changes count as one. */
export function collide(some: readonly Hunk[], others: readonly Hunk[]): boolean {
  return some.some((one) => others.some((other) => one.end >= other.start && other.end >= one.start));
}
