import * as z from "zod/mini";
import { errorCode } from "../lib/errors.ts";
import type { Ground } from "./ground.ts";
import { makeOperations, type Operations } from "./operations.ts";
import { type FromKeeper, OPERATIONS, type OperationName, ToKeeper } from "./protocol.ts";
import { refused } from "./repository.ts";

/** Answers requests, several at once, in the keeper's process. */
export class Keeper {
  readonly #ground: Ground;
  readonly #send: (message: FromKeeper) => void;
  readonly #operations: Operations;
  readonly #open = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();
  #closing = false;

  constructor(ground: Ground, send: (message: FromKeeper) => void, table: Operations = makeOperations()) {
    this.#ground = ground;
    this.#send = send;
    this.#operations = table;
  }

  /** Throws where it is not the words of our session: nothing can be done for it. */
  hear(raw: unknown): void {
    const message = ToKeeper.parse(raw);
    switch (message.type) {
      case "ask":
        this.#ask(message);
        return;
      case "cancel":
        this.#open.get(message.ticket)?.abort.abort();
        return;
      default:
        message satisfies never;
    }
  }

  /** Starts nothing new; what is under way comes to its end, or is taken back where it can be cancelled. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const { abort } of this.#open.values()) abort.abort();
    await Promise.all([...this.#open.values()].map(({ done }) => done));
  }

  #ask({ ticket, op, request }: Extract<ToKeeper, { type: "ask" }>): void {
    if (this.#closing) return;
    const abort = new AbortController();
    const done = this.#answer(op, request, abort.signal).then(
      (answer) => this.#settle({ type: "answer", ticket, answer }),
      (error: unknown) => this.#settle(endOf(ticket, op, error, abort.signal)),
    );
    this.#open.set(ticket, { abort, done });
  }

  #answer(op: string, request: unknown, signal: AbortSignal): Promise<unknown> {
    if (!isOperation(op)) return Promise.reject(new Error(`There is no operation ${JSON.stringify(op)}.`));
    return this.#carryOut(op, request, signal);
  }

  async #carryOut<Op extends OperationName>(op: Op, raw: unknown, signal: AbortSignal): Promise<unknown> {
    const { request } = OPERATIONS[op];
    return this.#operations[op](z.parse(request, raw), this.#ground, signal);
  }

  #settle(message: FromKeeper): void {
    this.#open.delete(message.ticket);
    this.#send(message);
  }
}

function endOf(ticket: number, op: string, error: unknown, signal: AbortSignal): FromKeeper {
  if (signal.aborted && error === signal.reason) return { type: "cancelled", ticket };
  const full = isOperation(op) && isDiskFull(error) ? OPERATIONS[op].answer : null;
  if (full !== null && z.safeParse(full, DISK_FULL).success)
    return { type: "answer", ticket, answer: DISK_FULL };
  return {
    type: "failed",
    ticket,
    // What the disk says is for a person; where a bug is, its stack says.
    message:
      error instanceof Error
        ? (errorCode(error) === undefined && error.stack) || error.message
        : String(error),
  };
}

const DISK_FULL = refused(
  "The disk that the repository is on is full, so nothing more of its worktrees can be saved. Files that are in them stay there. Free some space, then try again.",
);

function isDiskFull(error: unknown): boolean {
  return errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT";
}

function isOperation(op: string): op is OperationName {
  return Object.hasOwn(OPERATIONS, op);
}
