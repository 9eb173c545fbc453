import { existsSync, readdirSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type GitEnvironment, ownEnvironment } from "../environment.ts";
import { dropLocksOfKilled } from "../git-locks.ts";
import { withLock } from "../lock.ts";
import type { TravelRemote } from "../protocol.ts";
import { outputOf, refuseRequest } from "../refusal.ts";
import { bareGit, makeBareRepository } from "../travel/bare-repository.ts";
import { assertBundle, IS_ID, TRAVEL_REF, travelled } from "../travel/bundle.ts";
import { fetchCommit } from "../travel/remote.ts";
import { pruneRepositories, REPOSITORY_LIMITS } from "./prune.ts";
import { RunnerTrees, type TreeReaders } from "./trees.ts";

/** Commits to build a bundle on: more would not make it smaller. */
const MAX_HAVE = 64;
/** Milliseconds that an agent waits for the fetches of others. */
const FETCH_MS = 60 * 60_000;
const RECEIVED = "refs/troupe/received/";

interface RemoteCommit {
  readonly commit: string;
  readonly remote: TravelRemote;
  readonly signal: AbortSignal;
}

/**
 * The repositories of a runner: a bare clone of each, worktrees of agents, and their edits as bundles. Rejects with a
 * sentence. Git runs with no settings of the user's, so no filter (git-lfs) runs.
 */
export class RunnerRepositories {
  readonly #folder: string;
  readonly #ground: GitEnvironment;
  readonly trees: RunnerTrees;
  /** In which git reaches the remote: with the settings and the credentials of the runner's user. */
  readonly #env: Readonly<Record<string, string>>;
  #relying = 0;

  constructor(folder: string, ground = ownEnvironment(process.env), readers: TreeReaders = "owner") {
    this.#folder = folder;
    this.#env = ground.env;
    // There are no settings of git in the directory.
    const env = { ...ground.env, HOME: folder, XDG_CONFIG_HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
    this.#ground = { ...ground, env };
    this.trees = new RunnerTrees((repository) => this.#use(repository), this.#ground, ground.env, readers);
  }

  /** Returns the newest commits here of a repository, for a bundle without what they have. */
  async have(repository: string): Promise<string[]> {
    const path = this.place(repository);
    if (!existsSync(path)) return [];
    const listed = await bareGit(path, this.#ground).run([
      ...["for-each-ref", "--sort=-committerdate", `--count=${MAX_HAVE / 2}`],
      ...["--format=%(objectname) %(parent)", RECEIVED],
    ]);
    const ids = outputOf(listed, "The clone could not be read").split(/\s+/);
    return [...new Set(ids.filter((id) => id !== ""))].slice(0, MAX_HAVE);
  }

  /** Returns the newest commits of all repositories here. */
  async newest(): Promise<string[]> {
    if (!existsSync(this.#folder)) return [];
    const ids = readdirSync(this.#folder).flatMap((name) => {
      const id = name.replace(/\.git$/, "");
      return id !== name && IS_ID.test(id) ? [id] : [];
    });
    return (await Promise.all(ids.map((id) => this.have(id)))).flat();
  }

  /** Fetches a commit from the remote into the clone, which is made if it does not exist: once for all agents that want it. */
  fetch(repository: string, { commit, remote, signal }: RemoteCommit): Promise<void> {
    return this.#takeOnce(repository, commit, signal, (path, ref) =>
      fetchCommit(remote, commit, ref, { path, env: this.#env, signal }),
    );
  }

  /** Takes a bundle into the clone, which is made if it does not exist. The same one twice is harmless. */
  async receive(
    repository: string,
    { commit, bundle }: { readonly commit: string; readonly bundle: string },
  ) {
    const what = "The files of the agent were not taken";
    await assertBundle(bundle, commit);
    await this.#takeOnce(repository, commit, undefined, async (path, ref) => {
      const fetch = ["fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-auto-gc"];
      const done = await bareGit(path, this.#ground).run([...fetch, bundle, `+${TRAVEL_REF}:${ref}`]);
      if (/lacks these prerequisite commits/.test(done.err))
        refuseRequest(`${what}: they build on commits that the clone on this runner does not have.`);
      travelled(done, what, this.#folder);
    });
  }

  /** Agents that are started together want the same commit, and git would refuse to write its ref for all but one. */
  #takeOnce(
    repository: string,
    commit: string,
    signal: AbortSignal | undefined,
    take: (path: string, ref: string) => Promise<void>,
  ): Promise<void> {
    const path = this.place(repository);
    const lock = join(this.#folder, "locks", `fetch-${repository}`);
    const work = async () => {
      if (!existsSync(path)) this.#make(path, commit);
      this.#use(repository);
      const ref = `${RECEIVED}${commit}`;
      if ((await bareGit(path, this.#ground).run(["rev-parse", "-q", "--verify", ref])).out.trim() === commit)
        return;
      await this.#unlock(path, ref);
      await take(path, ref);
    };
    return withLock(lock, this.#ground, work, { waitMs: FETCH_MS, signal });
  }

  /** Runs work that relies on what `newest` returns in it. No clone is removed before it ends. */
  async relying<T>(work: () => Promise<T>): Promise<T> {
    this.#relying += 1;
    try {
      return await work();
    } finally {
      this.#relying -= 1;
    }
  }

  /** Removes clones that were not used for long, or are too much together; returns their IDs. */
  prune(limits = REPOSITORY_LIMITS): Promise<string[]> {
    return pruneRepositories(this.#folder, limits, () => this.#relying > 0, this.#ground);
  }

  /** Returns the path of the clone, which need not exist. */
  place(repository: string): string {
    if (!IS_ID.test(repository))
      refuseRequest(`${JSON.stringify(repository)} is not the ID of a repository.`);
    return join(this.#folder, `${repository}.git`);
  }

  /** Returns the clone, which a prune then leaves alone for a while. */
  #use(repository: string): string {
    const path = this.place(repository);
    const now = this.#ground.now() / 1_000;
    try {
      utimesSync(join(path, "HEAD"), now, now);
    } catch {
      refuseRequest("This runner has no clone of the agent's repository.");
    }
    return path;
  }

  /** A killed git leaves the lock of the ref that it was writing. */
  #unlock(path: string, ref: string): Promise<void> {
    return dropLocksOfKilled([join(path, `${ref}.lock`)], 1, Number.POSITIVE_INFINITY);
  }

  /** It is whole when it has its name. */
  #make(path: string, like: string): void {
    const fresh = join(this.#folder, `.new-${this.#ground.self.pid}-${this.#ground.id()}`);
    makeBareRepository(fresh, { like });
    renameSync(fresh, path);
  }
}
