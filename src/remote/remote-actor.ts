import type { ActorHandle, ActorStart, Exit, Vitals } from "../actors/hosts.ts";
import type { Clock } from "../mailbox/clock.ts";
import type { CallId } from "../mailbox/ids.ts";
import type { Channel } from "../mailbox/rpc/channel.ts";
import { receive, sender, serve } from "../mailbox/rpc/server.ts";
import {
  type agentNotices,
  type Boarded,
  type Edits,
  type Paid,
  sessionNotices,
  sessionRequests,
} from "../mailbox/runners.ts";

export interface RemoteActorParts {
  readonly clock: Pick<Clock, "now">;
  /** Takes an agent's files as they are now, durably. */
  takeEdits(edits: Edits): Promise<void>;
  onPaid(paid: Paid): void;
  onWarning(message: string): void;
  /** It has ended here, however. */
  onEnd(): void;
}

/** Milliseconds without a sign of its runner that the user is told. */
const AWAY_MS = 10_000;

/** Called if a call ran when its machine was lost: the files of it may be lost, too. */
const UNKNOWN =
  "Result unknown: the machine on which this call ran was lost while it ran. It was not run again; look at what it has done before you do.";

/** One attempt of an actor that runs elsewhere, or waits for a runner. */
export class RemoteActor implements ActorHandle {
  readonly start: ActorStart;
  readonly #parts: RemoteActorParts;
  readonly #exit = Promise.withResolvers<Exit>();
  /** Its own calls that may run, and have no result yet. */
  readonly #running = new Set<CallId>();
  #channel: Channel | null = null;
  #runner: string | null = null;
  #beatAt = 0;
  #isOver = false;
  #cancelled: string | null = null;
  #isWatched = false;

  constructor(start: ActorStart, parts: RemoteActorParts) {
    this.start = start;
    this.#parts = parts;
  }

  get exited(): Promise<Exit> {
    return this.#exit.promise;
  }

  /** The name of its runner; null while it waits for one. */
  get runner(): string | null {
    return this.#runner;
  }

  /** When its runner was last heard of. */
  get beatAt(): number {
    return this.#beatAt;
  }

  noteBeat(): void {
    this.#beatAt = this.#parts.clock.now();
  }

  /** A runner wants to begin over this channel. Nothing of the attempt runs unless this returns `go`. */
  board(channel: Channel, runner: string, lacks: readonly string[]): Boarded {
    if (this.#isOver || (this.#channel !== null && this.#channel !== channel)) return "superseded";
    if (this.#cancelled !== null) {
      this.#end({ type: "terminated" });
      return "cancelled";
    }
    if (lacks.length > 0) return "unfit";
    this.#channel = channel;
    this.#runner = runner;
    this.noteBeat();
    this.start.onReport({ type: "place", runner, waits: null });
    if (this.#isWatched) sender<typeof agentNotices>(channel)("watch", true);
    return "go";
  }

  /** Serves what a runner requests for it; until it has boarded, only that. */
  serveOn(channel: Channel, runner: string): void {
    const { services } = this.start;
    const boarded = () => {
      if (this.#channel !== channel) throw new Error("This attempt of the agent was superseded.");
    };
    const { takeEdits, onPaid } = this.#parts;
    const withEdits = async (edits: Edits | undefined) => {
      boarded();
      if (edits !== undefined) await takeEdits(edits);
      boarded();
    };
    serve(
      channel,
      sessionRequests,
      {
        board: ({ lacks }) => this.board(channel, runner, lacks),
        before: async (call) => {
          boarded();
          const decision = await services.before(call);
          if (decision.type === "go") this.#running.add(call.id);
          return decision;
        },
        after: async ({ after, edits }) => {
          await withEdits(edits);
          this.#running.delete(after.id);
          return services.after(after);
        },
        callTool: (call) => (boarded(), services.callTool(call)),
        reply: (reply) => (boarded(), services.reply(reply)),
        turn: async ({ turn, edits }) => {
          await withEdits(edits);
          return services.turn(turn);
        },
        finish: async ({ finish, edits }) => {
          await withEdits(edits);
          return services.finish(finish);
        },
        compacting: (begin) => (boarded(), services.compacting(begin)),
        compacted: (end) => (boarded(), services.compacted(end)),
        hidden: async (found) => {
          boarded();
          return [...(await services.hidden(found))];
        },
        // Also of an attempt that is over: it was spent.
        paid: (paid) => {
          onPaid(paid);
          return null;
        },
      },
      { remember: { most: 200, large: new Set() } },
    );
    receive(channel, sessionNotices, {
      report: (report) => {
        if (!this.#isOver && this.#channel === channel) this.start.onReport(report);
      },
      exit: (exit) => {
        if (this.#channel === channel) void this.#left(exit);
      },
    });
  }

  /** Answers a runner whose attempt is over: nothing of it is accepted. */
  static serveStale(channel: Channel): void {
    const over = () => {
      throw new Error("This attempt of the agent is over.");
    };
    serve(channel, sessionRequests, {
      ...{ before: over, after: over, callTool: over, reply: over, turn: over, finish: over },
      ...{ compacting: over, compacted: over, hidden: over },
      board: () => "superseded" as const,
      paid: () => null,
    });
  }

  /** Tells a runner that an attempt which it still has is over. */
  static dismiss(channel: Channel): void {
    sender<typeof agentNotices>(channel)("terminate", null);
  }

  /** It cannot be offered at all; `reason` is a sentence. */
  fail(reason: string): void {
    this.#end({ type: "threw", message: reason });
  }

  /** Why it has no runner yet, as a clause. */
  wait(reason: string): void {
    if (this.#channel === null && !this.#isOver)
      this.start.onReport({ type: "place", runner: null, waits: reason });
  }

  /** Its machine is gone, as far as anyone can tell. */
  lose(): void {
    void this.#left({ type: "lost", runner: this.#runner ?? "" });
  }

  watch(on: boolean): void {
    this.#isWatched = on;
    if (this.#channel) sender<typeof agentNotices>(this.#channel)("watch", on);
  }

  cancel(reason: string): void {
    this.#cancelled = reason;
    if (this.#channel) sender<typeof agentNotices>(this.#channel)("cancel", reason);
    else this.#end({ type: "terminated" });
  }

  terminate(): void {
    this.#end({ type: "terminated" });
  }

  vitals(): Vitals {
    if (this.#channel === null) return { type: "unknown" };
    const silentMs = this.#parts.clock.now() - this.#beatAt;
    return silentMs < AWAY_MS ? { type: "unknown" } : { type: "away", sinceMs: silentMs };
  }

  /** What ran when it left has an unknown result, which is recorded before its next attempt starts. */
  async #left(exit: Exit): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const { after } = this.start.services;
    for (const id of this.#running) {
      const result = { content: UNKNOWN, isError: true };
      await after({ id, isError: true, result }).catch((error: Error) =>
        this.#parts.onWarning(error.message),
      );
    }
    this.#settle(exit);
  }

  #end(exit: Exit): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(exit);
  }

  #settle(exit: Exit): void {
    // Wherever it is, it runs no longer.
    if (this.#channel) sender<typeof agentNotices>(this.#channel)("terminate", null);
    this.#parts.onEnd();
    this.#exit.resolve(exit);
  }
}
