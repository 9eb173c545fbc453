import * as z from "zod/mini";
import { errorMessage } from "../lib/errors.ts";
import { type Clock, within } from "../mailbox/clock.ts";
import { RESTART_INTENSITY, Restarts } from "../mailbox/restarts.ts";
import { commandEnvironment } from "../processes/environment.ts";
import { beginKeeper, type KeeperLife } from "./keeper-life.ts";
import {
  type AnswerOf,
  type FromKeeper,
  OPERATIONS,
  type OperationName,
  type RequestOf,
} from "./protocol.ts";
import type { Refused } from "./requests.ts";
import type { Worktrees } from "./worktrees.ts";

export interface KeeperOptions {
  /** The person's environment; the keeper and its git get what of it is harmless. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
  /** Its process died: something may be left of what it did. */
  readonly onDied?: () => void;
}

/** What git does in a large repository on a slow disk takes minutes; after this it is the keeper that hangs. */
const ANSWER_MS = 15 * 60_000;
/** What is cancelled is taken back first. */
const END_MS = 60_000;
const CLOSING = "The session is closing, so nothing is begun with worktrees any more.";
const DIED_TOO_OFTEN = `The keeper of worktrees died more than ${RESTART_INTENSITY.max} times within ${RESTART_INTENSITY.periodMs / 1_000} s, so it is left alone for as long; look for what ends it (memory, a command that kills it).`;

/** What comes to the same when it is done twice, or after a part of it was done: asked again where the keeper died. */
const REPEATABLE: ReadonlySet<OperationName> = new Set([
  ...([
    "inspect",
    "everTracked",
    "claim",
    "snapshot",
    "overlap",
    "prepare",
    "settle",
    "rebase",
    "keep",
  ] as const),
  ...(["remove", "list", "diff", "sweep"] as const),
]);
/** What kills the keeper may be the request itself. */
const TRIES = 3;

/** The keeper of trees, owned by the caller until `close()`. Its process starts at the first request, and again when it died. */
export function startKeeper(options: KeeperOptions): Worktrees {
  const link = new KeeperLink(options);
  return {
    inspect: (request) => link.ask("inspect", request),
    everTracked: (request, signal) => link.ask("everTracked", request, signal),
    create: (request, signal) => link.ask("create", request, signal),
    claim: (request, signal) => link.ask("claim", request, signal),
    snapshot: (request) => link.ask("snapshot", request),
    overlap: (request) => link.ask("overlap", request),
    prepare: (request, signal) => link.ask("prepare", request, signal),
    apply: (request) => link.ask("apply", request),
    settle: (request) => link.ask("settle", request),
    rebase: (request) => link.ask("rebase", request),
    keep: (request) => link.ask("keep", request),
    remove: (request) => link.ask("remove", request),
    list: (request) => link.ask("list", request),
    diff: (request) => link.ask("diff", request),
    restore: (request) => link.ask("restore", request),
    removeNamed: (request) => link.ask("removeNamed", request),
    mergeNamed: (request, signal) => link.ask("mergeNamed", request, signal),
    undo: (request) => link.ask("undo", request),
    sweep: (request) => link.ask("sweep", request),
    close: () => link.close(),
  };
}

interface Pending {
  hear(message: FromKeeper): void;
  refuse(reason: string, died?: true): void;
}

class KeeperLink {
  readonly #options: KeeperOptions;
  readonly #restarts: Restarts;
  readonly #pending = new Map<number, Pending>();
  readonly #settled = new Set<() => void>();
  #life: KeeperLife | null = null;
  #hasDied = false;
  #tickets = 0;
  #closing: Promise<void> | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#restarts = new Restarts(options.clock);
  }

  /** Rejects for a bug, or with the signal's reason once the keeper has taken back what it had begun. */
  async ask<Op extends OperationName>(
    op: Op,
    request: RequestOf<Op>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<Op> | Refused> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#askOnce(op, request, signal);
      const isLost = answer.type === "refused" && "died" in answer;
      if (!isLost || !REPEATABLE.has(op) || tries === TRIES) return answer;
      if (signal?.aborted || this.#closing !== null) return answer;
    }
  }

  async #askOnce<Op extends OperationName>(
    op: Op,
    request: RequestOf<Op>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<Op> | Refused> {
    signal?.throwIfAborted();
    if (this.#closing !== null) return { type: "refused", reason: CLOSING };
    const life = this.#connected();
    if (typeof life === "string") return { type: "refused", reason: life };
    const ticket = ++this.#tickets;
    const { promise, resolve, reject } = Promise.withResolvers<AnswerOf<Op> | Refused>();
    const cancel = () => life.send({ type: "cancel", ticket });
    const withdraw = this.#options.clock.after(ANSWER_MS, () => {
      refuse(`The keeper of worktrees did not answer within ${ANSWER_MS / 60_000} minutes, so it was ended.`);
      life.kill();
    });
    const end = () => {
      withdraw();
      signal?.removeEventListener("abort", cancel);
      this.#pending.delete(ticket);
      if (this.#pending.size === 0) this.#idle(life);
    };
    const refuse = (reason: string, died?: true) => {
      end();
      resolve({ type: "refused", reason, ...(died && { died }) });
    };
    this.#pending.set(ticket, {
      refuse,
      hear(message) {
        end();
        settle(op, message, signal, resolve, reject);
      },
    });
    signal?.addEventListener("abort", cancel, { once: true });
    life.hold(true);
    life.send({ type: "ask", ticket, op, request });
    return promise;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#life === null) return;
    if (this.#pending.size > 0) {
      const all = new Promise<void>((resolve) => this.#settled.add(resolve));
      await within(this.#options.clock, ANSWER_MS, all);
    }
    await this.#life?.end(END_MS);
  }

  /** The keeper as it runs, or why there is none. */
  #connected(): KeeperLife | string {
    if (this.#life !== null) return this.#life;
    if (this.#hasDied && !this.#restarts.again()) return DIED_TOO_OFTEN;
    try {
      const life = beginKeeper(commandEnvironment(this.#options.env), this.#options.clock, {
        hear: ({ ...message }) => this.#pending.get(message.ticket)?.hear(message),
        onGone: (how) => this.#gone(how),
      });
      this.#life = life;
      return life;
    } catch (error) {
      return `The keeper of worktrees cannot start (${errorMessage(error)}).`;
    }
  }

  #idle(life: KeeperLife): void {
    if (this.#life === life) life.hold(false);
    for (const settled of this.#settled) settled();
    this.#settled.clear();
  }

  /** The next request starts another one, unless it breaks too often. */
  #gone(how: string): void {
    this.#life = null;
    this.#hasDied = true;
    this.#options.onDied?.();
    const open = [...this.#pending.values()];
    if (this.#closing === null)
      this.#options.onWarning(
        `The keeper of worktrees died (${how}); it is started again when it is needed.`,
      );
    for (const { refuse } of open)
      refuse(
        `The keeper of worktrees died (${how}) before it answered. What it was doing is taken back, or is found in its records, when worktrees are next used; look there, or ask again.`,
        true,
      );
  }
}

function settle<Op extends OperationName>(
  op: Op,
  message: FromKeeper,
  signal: AbortSignal | undefined,
  resolve: (answer: AnswerOf<Op>) => void,
  reject: (why: unknown) => void,
): void {
  switch (message.type) {
    case "answer": {
      const { answer } = OPERATIONS[op];
      const parsed = z.safeParse(answer, message.answer);
      if (parsed.success) resolve(parsed.data);
      else reject(new Error(`The keeper of worktrees answered something else to ${op}.`));
      return;
    }
    case "cancelled":
      reject(signal?.aborted ? signal.reason : new Error(`The keeper of worktrees gave up ${op}.`));
      return;
    case "failed":
      reject(new Error(`The keeper of worktrees failed at ${op}: ${message.message}`));
      return;
    default:
      message satisfies never;
  }
}
