import { type Clock, within } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { RESTART_INTENSITY, Restarts } from "../lib/restarts.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import { commandEnvironment } from "../processes/environment.ts";
import { Helper, withCompileCache } from "../processes/helper-process.ts";
import { processGroup } from "../processes/process-group.ts";
import {
  type AnswerOf,
  GIT_OPERATIONS,
  type GitRequest,
  type OperationName,
  type RefusedRequest,
} from "./protocol.ts";

/** In `dist` all bundles are in one directory; in development the sources run. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./git-worker-main.ts" : "./worktree-keeper.cjs",
  import.meta.url,
);

/** Starts one process of the git worker. */
function beginKeeper(
  env: Readonly<Record<string, string>>,
  clock: Clock,
  onGone: (how: string) => void,
): Helper {
  const life = new Helper({
    ...{ entry: ENTRY, env: withCompileCache(env), clock, idle: "released" },
    async onGone(how) {
      // SIGTERM lets an orphaned git remove its lock files. A later request must not find it at work.
      if (life.pid !== undefined) await processGroup(life.pid, clock).end();
      onGone(how);
    },
  });
  return life;
}

export interface GitWorkerOptions {
  /** The user's environment; the git worker and its git get the harmless part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
  /** Called when its process died, which may have left work half done. */
  readonly onDied?: () => void;
}

/** Git can take minutes in a large repository on a slow disk; after this time the git worker hangs. */
const ANSWER_MS = 15 * 60_000;
/** A cancelled operation is undone first. */
const END_MS = 60_000;
/** For the remote of runners; git that works here does not get them. */
const REACHES_SERVERS = ["SSH_AUTH_SOCK", "GIT_SSH_COMMAND"];
const CLOSING = "The session is closing, so no more is done with worktrees.";
const DIED_TOO_OFTEN = `The git worker died more than ${RESTART_INTENSITY.max} times within ${RESTART_INTENSITY.periodMs / 1_000} s, so it is left alone for as long; look for what ends it (memory, a command that kills it).`;

/** Whether an operation is retried if the git worker died, even half-way; false for those that a second run would do twice. */
const IS_RETRIED: Readonly<Record<OperationName, boolean>> = {
  ...{ create: false, apply: false, restore: false, removeNamed: false, mergeNamed: false, undo: false },
  ...{
    inspect: true,
    everTracked: true,
    claim: true,
    make: true,
    snapshot: true,
    changedLines: true,
    prepare: true,
  },
  ...{ exportTree: true, importEdits: true, dropRemoteRefs: true },
  ...{ settle: true, rebase: true, keep: true, remove: true, list: true, diff: true, sweep: true },
};
/** The request itself may be what kills the git worker. */
const TRIES = 3;

/**
 * Returns the git worker, owned by the caller until `close()`. Its process starts at the first request, and again after
 * it died.
 */
export function startGitWorker(options: GitWorkerOptions): Worktrees {
  const link = new KeeperLink(options);
  const askFor =
    <Op extends OperationName>(op: Op) =>
    (request: GitRequest<Op>, signal?: AbortSignal) =>
      link.ask(op, request, signal);
  const names = Object.keys(GIT_OPERATIONS) as OperationName[];
  const operations = Object.fromEntries(names.map((op) => [op, askFor(op)])) as unknown;
  return { ...(operations as Omit<Worktrees, "close">), close: () => link.close() };
}

class KeeperLink {
  readonly #options: GitWorkerOptions;
  readonly #restarts: Restarts;
  readonly #caller: Caller<typeof GIT_OPERATIONS>;
  readonly #idle = new Set<() => void>();
  #life: Helper | null = null;
  #hasDied = false;
  #closing: Promise<void> | null = null;

  constructor(options: GitWorkerOptions) {
    this.#options = options;
    this.#restarts = new Restarts(options.clock);
    this.#caller = new Caller(GIT_OPERATIONS, {
      ...{ clock: options.clock, peer: "The git worker" },
      onIdle: () => {
        for (const resolve of this.#idle) resolve();
      },
    });
  }

  /** Rejects for a bug, or with the signal's reason once the git worker has undone what it had started. */
  async ask<Op extends OperationName>(
    op: Op,
    request: GitRequest<Op>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<Op> | RefusedRequest> {
    signal?.throwIfAborted();
    const lack = this.#closing === null ? this.#connect() : CLOSING;
    if (lack !== null) return { type: "refused", reason: lack };
    const replays = IS_RETRIED[op] ? TRIES - 1 : 0;
    const limits = { signal, waitsForCancel: true, deadlineMs: ANSWER_MS, replays } as const;
    const result = await this.#caller.call(op, request, limits);
    if (result.ok) return result.value;
    switch (result.kind) {
      case "late":
        this.#life?.kill();
        return {
          type: "refused",
          reason: `The git worker did not answer within ${ANSWER_MS / 60_000} minutes, so it was ended.`,
        };
      case "gone":
        return { type: "refused", reason: result.message, died: true };
      case "cancelled":
        throw signal?.aborted ? signal.reason : new Error(`The git worker gave up ${op}.`);
      case "malformed":
        throw new Error(result.message);
      case "failed":
      case "unsendable":
        throw new Error(`The git worker failed at ${op}: ${result.message}`);
      default:
        throw result.kind satisfies never;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#life === null) return;
    if (this.#caller.open > 0) {
      const all = new Promise<void>((resolve) => this.#idle.add(resolve));
      await within(this.#options.clock, ANSWER_MS, all);
    }
    await this.#life?.end(END_MS);
  }

  /** Ensures that a git worker runs; returns why it cannot, or null. */
  #connect(): string | null {
    if (this.#life !== null) return null;
    if (this.#hasDied && !this.#restarts.again()) return DIED_TOO_OFTEN;
    try {
      const { env, clock } = this.#options;
      this.#life = beginKeeper(commandEnvironment(env, REACHES_SERVERS), clock, (how) => this.#gone(how));
      this.#caller.attach(this.#life.channel);
      return null;
    } catch (error) {
      return `The git worker cannot start (${errorMessage(error)}).`;
    }
  }

  /** Starts another process if a request must be retried, otherwise at the next request, unless it dies too often. */
  #gone(how: string): void {
    this.#life = null;
    this.#hasDied = true;
    this.#options.onDied?.();
    const lost = `The git worker died (${how}) before it answered. What it was doing is rolled back, or found in its records, when worktrees are next used; look there, or try again.`;
    if (this.#closing === null)
      this.#options.onWarning(`The git worker died (${how}); it is started again when it is needed.`);
    this.#caller.detach(lost);
    if (this.#closing !== null) this.#caller.giveUp(lost);
    const lack = this.#caller.open > 0 ? this.#connect() : null;
    if (lack !== null) this.#caller.giveUp(lack);
  }
}

/**
 * Git worktrees of agents and the merges of their edits. Rejects only for a bug or an aborted `signal`; what is
 * impossible is `refused`, with a sentence.
 */
export type Worktrees = {
  readonly [Op in OperationName]: (request: GitRequest<Op>, signal?: AbortSignal) => Promise<AnswerOf<Op>>;
} & {
  /** Waits for operations in progress, then ends the git worker's process. Idempotent. */
  close(): Promise<void>;
};
