import type { ProcessIdentity } from "../journal/process-identity.ts";
import type { Queues } from "../lib/turns.ts";
import type { Git } from "./git.ts";
import type { Disk } from "./merge/disk.ts";
import type { SharedLooks } from "./shared-looks.ts";

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
  /** Of one request: ends its wait for a lock. */
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
