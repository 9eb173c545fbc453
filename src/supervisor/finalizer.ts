import { KEEP_MS } from "../features/isolation/isolation.ts";
import { checkedEnd } from "../features/receipts/checked.ts";
import { errorMessage } from "../lib/errors.ts";
import { within } from "../mailbox/clock.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { Session } from "../session/session.ts";
import type { ActorRecord } from "./actor-record.ts";
import type { Delivery } from "./delivery.ts";
import type { End } from "./lifecycle.ts";
import { withLeftBehind } from "./report.ts";

export interface EndsPorts {
  /** Whoever it has waited for works for nobody any more. */
  orphan(owner: ActorId): void;
  onWarning(message: string): void;
  readonly delivery: Delivery;
}

/** Milliseconds that an end waits for its record and for the agent's processes to be gone. */
const PATIENCE_MS = 10_000;

/** One for all: an error made on the spot keeps, by its stack, the thread's lanes and all that went over them. */
export const ENDED = new Error("The agent has ended.");

/** How an agent ends: all that its run held is let go, its one summary is made durable, and then delivered. */
export class Finalizer {
  readonly #session: Session;
  readonly #ports: EndsPorts;
  /** Summaries on their way to the disk. */
  readonly #writing = new Set<Promise<void>>();

  constructor(session: Session, ports: EndsPorts) {
    this.#session = session;
    this.#ports = ports;
  }

  /** Resolves when every end so far is durable and delivered. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing);
  }

  /** Durable first, then delivered: a summary that was seen is never lost. */
  finalize(actor: ActorRecord, end: End): void {
    const { journal, processes, background, clock, common, isolation } = this.#session;
    // Taken now: before the disk has answered, the next run of the same actor may have begun.
    const { deliver, run, errand } = actor;
    // The main conversation is idle, not gone: what it started in the background goes on, if it is to wake it.
    const idles = actor.id === MAIN && common.options.background === "wake" && !actor.life.signal.aborted;
    const said = end.by === "agent" ? end.summary : actor.salvaged(end.status, end.reason);
    const whole = withLeftBehind(said, idles ? [] : background.release(actor.id));
    const summary = checkedEnd(actor, whole, common.options, (message) => this.#ports.onWarning(message));
    this.#letGo(actor, end, summary, idles);
    // Only the main conversation is asked again at once; what an agent was is in the journal.
    if (actor.id !== MAIN) actor.forget();
    const durationMs = clock.now() - (actor.startedAt ?? actor.createdAt);
    const stopped = idles ? Promise.resolve() : processes.stopOwner(actor.id);
    const append = (written: Summary) =>
      journal.append({ type: "summary", actor: actor.id, run, summary: written, durationMs });
    let last = summary;
    const keeps = isolation.holds(actor, summary);
    // Edits that were not brought back stay on their branch, before the summary says so; nothing of it runs by then.
    const record = keeps
      ? Promise.allSettled([stopped]).then(async () => {
          last = await isolation.keep(actor, summary);
          if (actor.run === run) actor.summary = last;
          await append(last);
        })
      : append(summary);
    const kept = Promise.allSettled([record, stopped]).then((outcomes) => {
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") this.#warn(outcome.reason);
      }
    });
    // A disk or a host that hangs must not hold up an end for ever.
    const patience = keeps ? KEEP_MS + PATIENCE_MS : PATIENCE_MS;
    const written = within(clock, patience, kept).then(async (inTime) => {
      if (!inTime)
        this.#warn(
          `The end of agent ${actor.id} was not on disk within ${patience / 1000} s; check the disk.`,
        );
      if (errand.background) await this.#ports.delivery.result(actor, run, errand, last);
      deliver(last);
      this.#writing.delete(written);
      // A run that began meanwhile still hears what this one did not.
      if (actor.run === run) this.#ports.delivery.forwardUnread(actor);
    });
    this.#writing.add(written);
  }

  /** What it had of the session is the session's again. */
  #letGo(actor: ActorRecord, end: End, summary: Summary, idles: boolean): void {
    const { writes, gateway, clock, broker, spending, radar, servers } = this.#session;
    actor.summary = summary;
    actor.endedAt = clock.now();
    actor.calls.clear();
    actor.answers.clear();
    actor.reply = null;
    actor.open = null;
    actor.trouble = null;
    actor.stopping.abort(ENDED);
    if (!idles) actor.life.abort(ENDED);
    broker.withdraw(actor.id);
    spending.ended(actor.spec);
    writes.releaseAll(actor.id);
    radar.released(actor.id);
    servers.release(actor.id);
    if (end.by === "runtime") gateway.disconnect(actor.id);
    this.#ports.orphan(actor.id);
  }

  #warn(error: unknown): void {
    this.#ports.onWarning(errorMessage(error));
  }
}
