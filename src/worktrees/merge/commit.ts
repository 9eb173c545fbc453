import { join } from "node:path";
import { listSome } from "../../lib/text.ts";
import type { Worktree } from "../../mailbox/worktree.ts";
import { fileAt, rawChanges } from "../changes.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { emptyTree, GIT_KILLED, parts } from "../git.ts";
import { answered, lastLine, outputOf, refuseRequest } from "../refusal.ts";
import { chunks, copyIndex, withIndex } from "../side-index.ts";
import { dropHeadLocks, entriesOf, isSameEntry, setEntries, withIndexLock } from "./index-entries.ts";
import type { Committed, IndexEntry } from "./merge-journal.ts";
import { mergeTree } from "./merge-tree.ts";

/**
 * Writes a commit of the edits alone on HEAD, without the user's uncommitted changes, and the user's index after it;
 * returns null if HEAD already has all of them. Writes objects, nothing else.
 */
export async function prepareCommit(
  repo: Repository,
  { tree, edits, message }: { tree: Worktree; edits: string; message: string },
  ground: GitEnvironment,
): Promise<Committed | null> {
  const headTree = repo.head === null ? emptyTree(edits) : `${repo.head}^{tree}`;
  const onBase = await madeCommit(repo, headTree, [tree.base], "HEAD");
  const merged = await mergeTree(repo.git, onBase, edits);
  if (merged.type === "conflict")
    refuseRequest(
      `The edits touch lines that are not committed in ${repo.top} (${few(merged.conflicts.map(({ path }) => path))}), so they cannot be a commit of their own; commit those first, or have the edits applied without a commit.`,
    );
  const raw = await rawChanges(repo.git.run, headTree, merged.tree);
  const changes = raw.flatMap(({ path, oldMode, oldId, newMode, newId }) => {
    const [before, after] = [fileAt(oldMode, oldId), fileAt(newMode, newId)];
    return before === null && after === null ? [] : [{ path, before, after }];
  });
  if (changes.length === 0) return null;
  const { head, branch } = repo;
  const commit = await madeCommit(repo, merged.tree, head === null ? [] : [head], message, "person");
  return { head, branch, commit, entries: await indexAfter(repo, changes, merged.tree, ground) };
}

/** Staged changes stay staged, on top of the commit. */
async function indexAfter(
  repo: Repository,
  changes: Committed["entries"],
  committed: string,
  ground: GitEnvironment,
): Promise<Committed["entries"]> {
  return withIndex(repo, ground, async (index) => {
    copyIndex(join(repo.gitDir, "index"), index);
    const found = await entriesOf(repo, index);
    const now = new Map(changes.map(({ path }) => [path, found.get(path) ?? null]));
    const staged = changes.filter(({ path, before }) => !isSameEntry(now.get(path) ?? null, before));
    const both = staged.length === 0 ? null : await withStaged(repo, index, committed, staged);
    return changes.map(({ path, after }) => ({
      path,
      before: now.get(path) ?? null,
      after: both?.has(path) ? (both.get(path) ?? null) : after,
    }));
  });
}

async function withStaged(
  repo: Repository,
  index: string,
  committed: string,
  staged: Committed["entries"],
): Promise<ReadonlyMap<string, IndexEntry>> {
  const written = await repo.git.run(["-c", "core.splitIndex=false", "write-tree"], { index });
  const root = outputOf(written, `The index of ${repo.top} could not be read`).trim();
  const base = repo.head ?? (await madeCommit(repo, emptyTree(committed), [], "Nothing"));
  const ours = await madeCommit(repo, root, [base], "What is staged");
  const theirs = await madeCommit(repo, committed, [base], "What is committed");
  const merged = await mergeTree(repo.git, ours, theirs);
  if (merged.type === "conflict")
    refuseRequest(
      `What is staged in ${repo.top} touches the same lines as the edits (${few(merged.conflicts.map(({ path }) => path))}), so they cannot be committed beneath it; commit or unstage it first.`,
    );
  const entries = new Map<string, IndexEntry>(staged.map(({ path }) => [path, null]));
  for (const some of chunks([...entries.keys()], 200)) {
    const { out } = await repo.git.run(["ls-tree", "-z", "--full-tree", merged.tree, "--", ...some]);
    for (const line of parts(out)) {
      const [, mode = "", id = "", path = ""] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      if (mode !== "040000") entries.set(path, { mode, id });
    }
  }
  return entries;
}

/** The user kept committing or staging, `what`, during every try. */
export interface MovedOn {
  readonly type: "moved-on";
  readonly what: string;
  readonly reason: string;
}

export interface Moved {
  readonly type: "moved";
  /** Null if HEAD has all of it by now. */
  readonly committed: Committed | null;
}

/** A commit that started before the index was locked finishes during the lock: one try each. */
const RENEWALS = 5;

/**
 * Moves HEAD and the index after the files were written; if it cannot, leaves both as they were. `renew` makes the same
 * commit on the current HEAD and index, while no other commit can start.
 */
export async function moveForth(
  repo: Repository,
  first: Committed,
  renew: (() => Promise<Committed | null>) | null,
  ground: GitEnvironment,
): Promise<Moved | MovedOn> {
  return withIndexLock<Moved | MovedOn>(repo, ground, async () => {
    let committed = first;
    for (let renewals = 0; ; renewals += 1) {
      const others = await moveOnce(repo, committed, ground);
      if (others === null) return { type: "moved", committed };
      if (renew === null || renewals === RENEWALS) return others;
      const next = await renew();
      if (next === null) return { type: "moved", committed: null };
      if (next.branch !== first.branch) refuseRequest(notCommitted(repo, OTHER_BRANCH));
      committed = next;
    }
  });
}

async function moveOnce(
  repo: Repository,
  committed: Committed,
  ground: GitEnvironment,
): Promise<MovedOn | null> {
  const move = () => moveHead(repo, committed, "forth");
  const set = await setEntries(repo, { entries: committed.entries, way: "forth", move }, ground);
  switch (set.type) {
    case "set":
      return null;
    case "others": {
      const what = `what is staged in ${few(set.others)} was changed`;
      return { type: "moved-on", what, reason: notCommitted(repo, `${what} in the meantime`) };
    }
    case "unmoved": {
      const now = await headOf(repo);
      const reason = notCommitted(repo, set.why);
      if (now.branch !== committed.branch) refuseRequest(reason);
      if (now.head !== committed.head) return { type: "moved-on", what: "HEAD was changed", reason };
      return /cannot lock ref/.test(set.why)
        ? { type: "moved-on", what: "HEAD was locked by another git command", reason }
        : refuseRequest(reason);
    }
    default:
      return set satisfies never;
  }
}

const OTHER_BRANCH = "another branch was checked out in the meantime";

function notCommitted({ top }: Repository, why: string): string {
  return `The edits could not be committed in ${top}: ${why}.`;
}

/** Returns sentences on what changed after the merge, and is left. */
export async function moveBack(
  repo: Repository,
  committed: Committed,
  ground: GitEnvironment,
): Promise<string[]> {
  const notes = await answered(() => backwards(repo, committed, ground));
  return "type" in notes ? [notes.reason] : notes;
}

async function backwards(repo: Repository, committed: Committed, ground: GitEnvironment): Promise<string[]> {
  const now = await headOf(repo);
  if (now.head !== committed.commit && now.head !== committed.head)
    return [`The commit ${committed.commit} stays: HEAD of ${repo.top} has moved on.`];
  const isThere = now.head === committed.commit;
  const move = () => (isThere ? moveHead(repo, committed, "back") : Promise.resolve(null));
  const toSet = { entries: committed.entries, way: "back", move } as const;
  const set = await withIndexLock(repo, ground, () => setEntries(repo, toSet, ground));
  switch (set.type) {
    case "unmoved":
      return [`The commit ${committed.commit} stays in ${repo.top}: ${set.why}.`];
    case "others":
    case "set":
      return set.others.length === 0
        ? []
        : [`What is staged in ${few(set.others)} was changed since, and stays.`];
    default:
      return set satisfies never;
  }
}

/** Returns what changed since the merge committed. */
export async function changedSince(
  repo: Repository,
  committed: Committed,
  ground: GitEnvironment,
): Promise<string[]> {
  const now = await headOf(repo);
  if (now.head !== committed.commit || now.branch !== committed.branch) return ["HEAD"];
  return withIndex(repo, ground, async (index) => {
    copyIndex(join(repo.gitDir, "index"), index);
    const found = await entriesOf(repo, index);
    return committed.entries
      .filter(({ path, after }) => !isSameEntry(found.get(path) ?? null, after))
      .map(({ path }) => path);
  });
}

async function headOf({ git }: Repository): Promise<{ head: string | null; branch: string | null }> {
  const [head, name] = await Promise.all([
    git.run(["rev-parse", "-q", "--verify", "HEAD"]),
    git.run(["symbolic-ref", "-q", "HEAD"]),
  ]);
  return {
    head: head.code === 0 ? head.out.trim() : null,
    branch: name.code === 0 ? name.out.trim().replace(/^refs\/heads\//, "") : null,
  };
}

async function moveHead(
  repo: Repository,
  { head, branch, commit }: Omit<Committed, "entries">,
  way: "forth" | "back",
  again = false,
): Promise<string | null> {
  // If the user switched branches, the commit would be on the wrong one.
  const now = await headOf(repo);
  if (now.head === (way === "forth" ? commit : head)) return null;
  if (now.branch !== branch) return OTHER_BRANCH;
  const none = "0".repeat(commit.length);
  const args =
    way === "forth"
      ? ["update-ref", "-m", "troupe: edits of an agent", "HEAD", commit, head ?? none]
      : head === null
        ? ["update-ref", "-m", "troupe: undo", "-d", "HEAD", commit]
        : ["update-ref", "-m", "troupe: undo", "HEAD", head, commit];
  const first = await repo.git.run(args, { identity: "person" });
  if (first.code === 0) return null;
  if (first.err === GIT_KILLED && !again) {
    await dropHeadLocks(repo, branch);
    return moveHead(repo, { head, branch, commit }, way, true);
  }
  // A reflog entry needs an identity, and there may be none.
  const second = await repo.git.run(args);
  return second.code === 0 ? null : lastLine(second.err);
}

async function madeCommit(
  repo: Repository,
  tree: string,
  parents: readonly string[],
  message: string,
  identity?: "person",
): Promise<string> {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-m", message];
  const made = await repo.git.run(args, identity ? { identity } : {});
  // The user has not configured an identity.
  if (made.code !== 0 && identity) return madeCommit(repo, tree, parents, message);
  return outputOf(made, `A commit could not be made in ${repo.top}`).trim();
}

export function few(paths: readonly string[]): string {
  return listSome(paths, 3);
}
