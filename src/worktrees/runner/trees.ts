import { hash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { processIdentity } from "../../journal/process-identity.ts";
import { removeDirectory, unlessMissing } from "../../lib/on-disk.ts";
import { MAX_BUNDLE_BYTES, TooLargeError } from "../../mailbox/runners.ts";
import type { Worktree } from "../../mailbox/worktree.ts";
import type { GitEnvironment } from "../environment.ts";
import { fillTree } from "../fill.ts";
import { gitIn } from "../git.ts";
import { snapshotRef } from "../layout.ts";
import { withLock, withTreeLock } from "../lock.ts";
import { outputOf, refuseRequest } from "../refusal.ts";
import { addWorktree, bareGit, makeBareRepository } from "../travel/bare-repository.ts";
import { findHead } from "../travel/bundle.ts";
import { sendCommit, type Travelling } from "../travel/send-commit.ts";
import { writeRecord } from "../tree-record.ts";
import { snapshotLocked } from "../tree-snapshot.ts";
import { gitDirOf, type TreePlace } from "../worktree-location.ts";
import { dropBorrower, noteBorrower } from "./prune.ts";
import {
  addHolder,
  dropHolder,
  dropHolders,
  endOwner,
  hasHolders,
  readTreeState,
  stateFolder,
  type TreeState,
  writeTreeState,
} from "./tree-state.ts";

export interface RunnerTree {
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  /** Agents that only read use one worktree together. */
  readonly shared?: boolean;
  /** A later one of the same agent keeps its worktree, however late this one comes. */
  readonly attempt?: number;
}

export interface TakenFiles {
  readonly commit: string;
  /** What was left out. */
  readonly notes: readonly string[];
}

export interface ExportedEdits extends TakenFiles {
  /** Null: they were pushed to the remote. */
  readonly bundle: string | null;
  readonly bytes: number;
}

/** Where edits go. */
export interface EditsExport extends Pick<Travelling, "remote" | "signal"> {
  /** What the session has. */
  readonly base: string;
  /** The directory for the bundle. */
  readonly into: string;
}

/** Who may enter the directory of a session's worktrees: this user, or also the one of `--agent-user`. */
export type TreeReaders = "owner" | "all";

/** The worktrees of a runner. Each has a directory next to it with its state. */
export class RunnerTrees {
  readonly #clone: (repository: string) => string;
  readonly #ground: GitEnvironment;
  /** In which git reaches the remote. */
  readonly #remoteEnv: GitEnvironment["env"];
  readonly #readers: TreeReaders;
  /** By path. An export would make directories of a removed worktree again, so its removal waits. */
  readonly #exports = new Map<string, Promise<void>>();
  /** By commit. Agents that are started together have the same. */
  readonly #heads = new Map<string, string>();

  /** `clone`: returns the bare clone of a repository; throws if it does not exist. */
  constructor(
    clone: (repository: string) => string,
    ground: GitEnvironment,
    remoteEnv: GitEnvironment["env"],
    readers: TreeReaders,
  ) {
    this.#clone = clone;
    this.#ground = ground;
    this.#remoteEnv = remoteEnv;
    this.#readers = readers;
  }

  /**
   * Makes a worktree with the files of a commit at this path. Repeatable: what an earlier attempt left there is removed,
   * after its processes were killed. A shared one is used as it is. Resolves with a lease for `remove`.
   */
  add(tree: RunnerTree): Promise<string> {
    const clone = this.#clone(tree.repository);
    return this.#alone(tree.path, async () => {
      assertOwn(dirname(tree.path));
      const found = readTreeState(tree.path);
      if ((found?.attempt ?? 0) > (tree.attempt ?? 0))
        refuseRequest(`A later attempt of the agent works in ${tree.path} now.`);
      if (found?.complete && this.#isUsable(found, tree)) return addHolder(tree.path, this.#ground);
      if (found !== null) await endOwner(tree.path, found.owner);
      this.#clear(tree.path, found);
      await this.#make(clone, tree).catch((error: unknown) => {
        this.#forget(tree.path, readTreeState(tree.path));
        throw error;
      });
      return addHolder(tree.path, this.#ground);
    });
  }

  /** A worktree in which no agent has worked, or a shared one. */
  #isUsable(found: TreeState, { repository, commit, path, shared = false }: RunnerTree): boolean {
    if (found.repository !== repository || found.commit !== commit || !existsSync(path)) return false;
    return shared || (found.owner === null && !hasHolders(path, this.#ground));
  }

  /** Returns the git directory of a worktree: its own, which reads the objects of the clone. */
  commonOf(path: string): string {
    return this.#state(path).common;
  }

  /** Notes the process group that works in a worktree: the next one that wants the path kills it. */
  setOwner(path: string, pid: number): void {
    writeTreeState(path, { ...this.#state(path), owner: processIdentity(pid) });
  }

  /** Commits the files of a worktree as they are, without ignored ones. */
  async snapshot(path: string): Promise<TakenFiles> {
    const { place, tree } = this.#place(path);
    const ground = this.#ground;
    const taken = await withTreeLock(place.common, tree.name, ground, () =>
      snapshotLocked({ tree, files: null }, place, ground),
    );
    return { commit: taken.commit, notes: taken.notes };
  }

  /**
   * Sends what a worktree has and `base` has not; null if nothing. The caller removes the bundle in `into`. Rejects if the
   * worktree is being removed.
   */
  exportSince(path: string, to: EditsExport): Promise<ExportedEdits | null> {
    const exporting = this.#export(path, to);
    const ended = exporting.then(
      () => {},
      () => {},
    );
    const before = this.#exports.get(path);
    const all = Promise.all([before, ended]).then(() => {
      if (this.#exports.get(path) === all) this.#exports.delete(path);
    });
    this.#exports.set(path, all);
    return exporting;
  }

  async #export(path: string, { base, into, ...to }: EditsExport): Promise<ExportedEdits | null> {
    const { place } = this.#place(path);
    const { commit, notes } = await this.snapshot(path);
    const file = join(into, `${commit.slice(0, 12)}-${this.#ground.id()}.bundle`);
    const travelling = { commit, have: [], base, file, env: this.#remoteEnv, ...to };
    const { isPushed, bundle, bytes } = await sendCommit(place.common, travelling, this.#ground);
    if (bundle !== null && bytes > MAX_BUNDLE_BYTES) {
      await this.#forgetSince(path, base);
      throw new TooLargeError(bytes);
    }
    return bundle === null && !isPushed ? null : { commit, bundle, bytes, notes };
  }

  /** The next snapshot follows `base`: its history would bring what was too large along, though it may be gone. */
  async #forgetSince(path: string, base: string): Promise<void> {
    const { place, tree } = this.#place(path);
    const ref = snapshotRef(tree.name);
    const set = base === tree.base ? ["-d", ref] : [ref, base];
    outputOf(
      await bareGit(place.common, this.#ground).run(["update-ref", ...set]),
      "A snapshot that is too large could not be forgotten",
    );
  }

  /** Removes a worktree, a shared one with its last lease. Does nothing if a later attempt has the path by now. */
  remove(path: string, lease: string): Promise<void> {
    return this.#alone(path, async () => {
      const found = readTreeState(path);
      // A later attempt has the path, or others use the worktree, too.
      if (found === null || !dropHolder(path, lease) || hasHolders(path, this.#ground)) return;
      await endOwner(path, found.owner);
      while (this.#exports.has(path)) await this.#exports.get(path);
      this.#forget(path, found);
    });
  }

  #forget(path: string, found: TreeState | null): void {
    this.#clear(path, found);
    rmSync(stateFolder(path), { recursive: true, force: true });
    removeIfEmpty(dirname(path));
  }

  /** One at a time for each path, over all processes of the machine. */
  #alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    // Not one for each agent, as they stay; enough that two paths hardly ever wait for each other.
    const name = hash("sha256", path).slice(0, 4);
    // Runners of one machine share the directory of the sessions, and maybe no other; that of one session is removed.
    return withLock(join(locksOf(dirname(dirname(path))), name), this.#ground, work);
  }

  async #make(clone: string, { repository, commit, path, attempt = 0 }: RunnerTree): Promise<void> {
    const ground = this.#ground;
    const name = `${basename(path).slice(0, 24)}-${ground.id().replaceAll("-", "_")}`;
    const common = ownRepository(path);
    const state = { repository, commit, name, common, clone, complete: false, owner: null, attempt };
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (this.#readers === "all") chmodSync(dirname(path), 0o755);
    writeTreeState(path, state);
    noteBorrower(clone, name, common);
    // A repository of its own: settings, hooks, branches and stashes of one agent are no other's.
    makeBareRepository(common, { like: commit, borrows: clone });
    if (existsSync(join(clone, "shallow"))) copyFileSync(join(clone, "shallow"), join(common, "shallow"));
    const head = await findHead(bareGit(common, ground), commit, this.#heads);
    addWorktree(common, path, head);
    const git = gitIn(path, ground.env);
    await fillTree(git, commit, undefined);
    if (head !== commit) {
      outputOf(await git.run(["read-tree", head]), `The worktree ${path} could not be made`);
      await git.run(["update-index", "-q", "--refresh"]);
    }
    const tree = treeOf(path, state);
    const owner = { session: basename(dirname(path)), actor: basename(path), process: ground.self };
    const record = { owner, tree, at: ground.now(), made: true, maker: ground.self, linked: [] };
    await writeRecord(common, name, { ...record, travels: true, result: null });
    writeTreeState(path, { ...state, complete: true });
  }

  /** Removes a worktree and what git and Troupe know of it; each step can be repeated. */
  #clear(path: string, found: TreeState | null): void {
    dropHolders(path);
    const old = join(stateFolder(path), `old-${this.#ground.id()}`);
    if (existsSync(path)) renameSync(path, old);
    for (const name of unlessMissing(() => readdirSync(stateFolder(path)), []).filter((one) =>
      one.startsWith("old-"),
    ))
      removeDirectory(join(stateFolder(path), name));
    const own = ownRepository(path);
    if (existsSync(own)) removeDirectory(own);
    if (found !== null) dropBorrower(found.clone, found.name);
  }

  #state(path: string): TreeState {
    const found = readTreeState(path);
    return found?.complete ? found : refuseRequest(`There is no worktree at ${path}.`);
  }

  #place(path: string): { readonly place: TreePlace; readonly tree: Worktree } {
    const state = this.#state(path);
    const gitDir = gitDirOf(state.common, path) ?? refuseRequest(`Git knows of no worktree at ${path}.`);
    return { place: { common: state.common, gitDir }, tree: treeOf(path, state) };
  }
}

/**
 * Throws if another user has made the directory of a session before this one could, where all may write in the one of all
 * sessions: what agents work on could be replaced, and the state in it names what to end and to remove.
 */
function assertOwn(session: string): void {
  const owner = lstatSync(session, { throwIfNoEntry: false })?.uid;
  const me = process.getuid?.();
  if (owner !== undefined && me !== undefined && owner !== me)
    throw new Error(`${session} belongs to another user (${owner}), who could change what agents work on`);
}

/** Returns the directory of this user's locks: other users may share the one of all sessions, and not write in this one. */
export function locksOf(sessions: string): string {
  return join(sessions, `.locks-${process.getuid?.() ?? 0}`);
}

function ownRepository(path: string): string {
  return join(stateFolder(path), "git");
}

function treeOf(path: string, { name, commit }: TreeState): Worktree {
  return { name, path, branch: name, checkout: path, base: commit, head: null };
}

/** The directory of a session, after its last worktree. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Others are in it.
  }
}
