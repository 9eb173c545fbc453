import type { Carrier } from "../engine/carrier.ts";
import { dropParts } from "../engine/limits.ts";
import { packSealed } from "../engine/messages.ts";
import type { Clock } from "../lib/clock.ts";
import {
  type AttemptId,
  digestKit,
  nameAttempt,
  nameJob,
  type OfferedSpec,
  packKit,
  withoutKit,
} from "../mailbox/runners.ts";
import type { EngineLine } from "./engine-line.ts";
import type { RemoteActor } from "./remote-actor.ts";

/**
 * Milliseconds after which an attempt that no runner has begun is offered again: the engine may have lost it. Few go first, or were
 * taken and not begun, so that is cheap.
 */
const OFFER_AGAIN_MS = { soon: 10_000, inOrder: 30_000 };
/** Milliseconds after which an attempt that a runner has taken and not begun is offered as another job: the runner died with it. */
const TAKEN_MS = 10_000;

export interface AttemptOfferParts {
  readonly id: AttemptId;
  readonly actor: RemoteActor;
  readonly line: EngineLine;
  readonly clock: Clock;
  /** Its actor has not ended. */
  isWanted(): boolean;
  /** Before all that wait. */
  goesFirst(): boolean;
}

/** One attempt in the engine, until a runner has begun it. */
export class AttemptOffer {
  readonly pool: string;
  readonly name: string;
  readonly #parts: AttemptOfferParts;
  /** The ID under which it is offered, and how many it has had. */
  #job: string;
  #jobs = 1;
  /** Its spec, sealed for that job, and the blob that holds it if it is large. */
  #sealed: string | null = null;
  #blob: string | null = null;
  /** When the engine last took it; null if it has not. */
  #offeredAt: number | null = null;
  /** When that job was first seen to be a runner's; null if it was not. */
  #takenAt: number | null = null;

  constructor(parts: AttemptOfferParts) {
    this.#parts = parts;
    this.pool = parts.actor.start.spec.pool ?? "default";
    this.name = nameAttempt(parts.id);
    this.#job = nameJob(this.name, 1);
  }

  /** The engine may have lost it, or has not had it. */
  get isDue(): boolean {
    const { clock, goesFirst } = this.#parts;
    const afterMs = OFFER_AGAIN_MS[goesFirst() || this.#takenAt !== null ? "soon" : "inOrder"];
    return this.#offeredAt === null || clock.now() - this.#offeredAt > afterMs;
  }

  /** Repeatable: the engine ignores an ID that it has. Rejects if it cannot take it now. */
  async send(): Promise<void> {
    const { id, actor, line, clock, isWanted, goesFirst } = this.#parts;
    const { spec, elsewhere } = actor.start;
    if (elsewhere === null) throw new Error("Nothing here offers agents to runners.");
    const open = await line.open();
    const { carrier, sealer } = open;
    if (actor.runner !== null || !isWanted()) return;
    await this.#leaveTaken(carrier);
    // Another connection has another key, and its engine knows nothing of this one.
    if (line.current !== open) return;
    const job = this.#job;
    const seal = () => {
      const offered: OfferedSpec = {
        ...id,
        ...{ spec: withoutKit(spec), kit: digestKit(packKit(spec)) },
        rules: actor.sendRules(),
        ...elsewhere.offer,
      };
      return sealer.seal(job, JSON.stringify(offered));
    };
    // The same text has the same blob, which the engine may have lost, and is not sent twice.
    this.#sealed ??= seal();
    const { raw: body, blob } = await packSealed(carrier, id.session, this.#sealed);
    this.#blob = blob;
    await carrier.offer(this.pool, { id: job, body }, goesFirst());
    if (line.current === open) this.#offeredAt = clock.now();
    // It may have ended since then.
    if (!isWanted()) await this.withdraw();
  }

  /** The engine does not remove one that a runner has; the runner does. Never rejects. */
  async withdraw(): Promise<void> {
    const carrier = this.#parts.line.current?.carrier;
    if (carrier === undefined || this.#offeredAt === null) return;
    await carrier.withdraw(this.pool, this.#job).catch(() => {});
    if (this.#blob !== null) await dropParts(carrier, this.#blob);
  }

  /** The engine is gone, and with it this attempt. */
  forget(): void {
    this.#sealed = null;
    this.#blob = null;
    this.#offeredAt = null;
    this.#takenAt = null;
  }

  /** The runner of the old job may still board: the first that does has the attempt, and the other one ends. */
  async #leaveTaken(carrier: Carrier): Promise<void> {
    if (this.#offeredAt === null) return;
    if (!(await carrier.isTaken(this.pool, this.#job))) {
      // A runner may have given it back: the next one has its own time.
      this.#takenAt = null;
      return;
    }
    const now = this.#parts.clock.now();
    this.#takenAt ??= now;
    if (now - this.#takenAt < TAKEN_MS) return;
    this.#jobs += 1;
    this.#job = nameJob(this.name, this.#jobs);
    this.#takenAt = null;
    this.#sealed = null;
  }
}
