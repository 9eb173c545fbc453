import { isAlive, type ProcessIdentity, processIdentity } from "../journal/process-identity.ts";
import type { Queues } from "../lib/queues.ts";
import { randomIds } from "../mailbox/ids.ts";
import { cleanEnvironment } from "../processes/environment.ts";
import type { Git } from "./git.ts";
import { type Disk, realDisk } from "./merge/disk.ts";

/** The surroundings of every operation, passed in so that tests can have their own. */
export interface GitEnvironment {
  /** The environment variables of git. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns a new, unique name of letters and digits. */
  id(): string;
  /** The holder of locks: the git worker's own process. */
  readonly self: ProcessIdentity;
  isAlive(process: ProcessIdentity): boolean;
  /** By its directory: whom the next caller of this process waits for before it looks for a lock. Absent: all look at the same time. */
  readonly turns?: Queues;
  /** Many agents start together, and begin from the same. Absent: each looks for itself. */
  readonly looks?: { readonly repositories: SharedLooks<Repository>; readonly bases: SharedLooks<Base> };
  /** What merges write with. */
  readonly disk: Disk;
  /** Of one request. When aborted, its work ends, is undone, and rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What a worktree starts from, with notes on what that lacks. */
export interface Base {
  readonly commit: string;
  readonly notes: readonly string[];
}

/** What is known of a checkout without asking git. */
export interface LocatedRepository {
  /** The real path of the checkout's top directory. */
  readonly top: string;
  /** The real path of the common git directory. */
  readonly common: string;
  /** Git in `top`. */
  readonly git: Git;
}

/** A checkout that worktrees are made from and edits are merged into. */
export interface Repository extends LocatedRepository {
  /** The git directory of this checkout, which has its index. */
  readonly gitDir: string;
  /** Null before the first commit. */
  readonly head: string | null;
  /** Null if HEAD is detached. */
  readonly branch: string | null;
}

/** Returns the surroundings of git for this process, which holds the locks. */
export function ownEnvironment(env: Readonly<Record<string, string | undefined>>): GitEnvironment {
  const ids = randomIds();
  return {
    env: cleanEnvironment(env),
    now: () => Date.now(),
    id: () => ids.session(),
    self: processIdentity(process.pid),
    isAlive,
    turns: new Map(),
    looks: { repositories: new SharedLooks(), bases: new SharedLooks() },
    disk: realDisk,
  };
}

/**
 * Shares looks at something that changes: one look is for all who asked before it began. There is one at a time for each
 * key, and those who ask while it runs share the next one.
 */
export class SharedLooks<T> {
  readonly #next = new Map<string, Promise<T>>();
  /** Never rejects. */
  readonly #running = new Map<string, Promise<void>>();

  ask(key: string, look: () => Promise<T>): Promise<T> {
    const next = this.#next.get(key);
    if (next !== undefined) return next;
    const running = this.#running.get(key);
    if (running === undefined) return this.#begin(key, look);
    const mine = running.then(() => this.#begin(key, look));
    this.#next.set(key, mine);
    return mine;
  }

  #begin(key: string, look: () => Promise<T>): Promise<T> {
    this.#next.delete(key);
    const found = look();
    const ended = () => {
      this.#running.delete(key);
    };
    this.#running.set(key, found.then(ended, ended));
    return found;
  }
}
