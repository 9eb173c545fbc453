import { type Clock, pause } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { ModelPause } from "../mailbox/model.ts";
import { prefixReader } from "./cached-prefixes.ts";
import type {
  ModelClient,
  ModelFailure,
  ModelFailureKind,
  ModelOutcome,
  ModelRequest,
  OnModelEvent,
  OnServerAnswer,
} from "./client.ts";
import { cancelled, failedOutcome, retryable, untilCancelled } from "./failures.ts";
import type { Meter } from "./meter.ts";
import { type QueueSlot, RequestQueue } from "./request-queue.ts";
import { soundOutcome } from "./sound-reply.ts";

/** Sends a request for an actor; a `lead` request is served before the others. Never rejects. */
export type Ask = (
  request: ModelRequest,
  lead: boolean,
  on: OnModelEvent,
  signal: AbortSignal,
) => Promise<ModelOutcome>;

/** Limits of all requests together. */
export interface GatewayLimits {
  /** Requests that run at the same time (default 64). */
  readonly concurrency?: number;
  /** Milliseconds from a request's first failure until it is given up; 0 tries once (default 60,000). */
  readonly patienceMs?: number;
  /**
   * Milliseconds that a model is held in all, for a limit or a server that was reached before, until its requests are given up
   * (default 0: it is never held).
   */
  readonly limitPatienceMs?: number;
}

export interface GovernorOptions extends GatewayLimits {
  readonly clock: Clock;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  /** Absent if requests need no metering. */
  readonly meter?: Meter;
  /** How models were held when the session was left. */
  readonly pauses?: readonly ModelPause[];
  /** True if the server keeps the start of a prompt: then the first request that has one goes before the others. */
  readonly promptCaching?: boolean;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 16_000;
/** Longer named waits hold the model, whatever patience is left. */
const LONG_MS = 60_000;
/** A limit, or a server that is busy or out of reach: what passes without anybody's doing. */
const HELD_KINDS: ReadonlySet<ModelFailureKind> = new Set([
  "rate_limit",
  "overloaded",
  "spend_limit",
  "connection",
]);
/** A malformed stream costs a whole reply each time, so it is retried only once (fault 24). */
const PROTOCOL_ATTEMPTS = 2;

/**
 * Governs the requests of all agents: how many run, their order and rate, and retries (faults 1 to 5 and 54, demands C7
 * and D6). Only whole replies leave it, so an attempt that broke off after some text can be repeated.
 */
export function governed(client: ModelClient, options: GovernorOptions): Ask {
  const { clock, random, meter, concurrency = 64, patienceMs = 60_000, limitPatienceMs = 0 } = options;
  const places = new RequestQueue(clock, random, concurrency);
  for (const pause of options.pauses ?? []) places.restore(pause);
  const prefixOf = options.promptCaching ? prefixReader() : () => null;
  /** Holds the model instead of giving a request up: `no` if there is no reason to, `too-long` if it was held for long already. */
  const hold = (
    model: string,
    failure: ModelFailure | undefined,
    { patienceLeft, probe }: { readonly patienceLeft: number; readonly probe: boolean },
  ): "held" | "too-long" | "no" => {
    const { kind = "rate_limit", retryAfterMs = null, message = "", final = false } = failure ?? {};
    if (limitPatienceMs === 0 || !HELD_KINDS.has(kind)) return "no";
    if (retryAfterMs === null) {
      if (patienceMs === 0 || patienceLeft > 0 || kind === "spend_limit" || final || !places.hasWorked(model))
        return "no";
    } else if (retryAfterMs < Math.min(LONG_MS, patienceLeft)) return "no";
    const request = { ms: retryAfterMs, reason: message, mostMs: limitPatienceMs, afterProbe: probe };
    return places.hold(model, request) ? "held" : "too-long";
  };
  const attempt = async (request: ModelRequest, on: OnModelEvent, signal: AbortSignal, place: QueueSlot) => {
    const answered: OnServerAnswer = (accepted) => place.answered(accepted);
    const metered = await meter?.take(request, signal);
    if (metered?.type === "ended") {
      place.release(metered.outcome);
      return metered.outcome;
    }
    const running = safely(client, metered?.request ?? request, on, signal, answered);
    metered?.settle(running, signal);
    // A cancelled request frees its slot immediately, even if its client is slow to notice.
    const outcome = await untilCancelled(running, signal);
    place.release(outcome);
    return outcome;
  };

  return async (request, lead, on, signal) => {
    let patience = retryBudget(clock, patienceMs);
    for (let tries = 1; ; tries++) {
      const waiting = (ms: number, reason: string, attempt: number) => {
        const { status } = patience.last() ?? {};
        on({ type: "waiting", reason, ms, attempt, ...(status === undefined ? {} : { status }) });
      };
      const placed = await places.take({
        actor: request.actor,
        model: request.model,
        prefix: prefixOf(request),
        lead,
        retry: tries > 1,
        patienceMs: patience.left(),
        // The pause comes before this attempt, so it belongs to the one that failed.
        onPaused: (ms, reason) => waiting(ms, reason, Math.max(1, tries - 1)),
        onHeld: (held) => on({ type: "paused", pause: held }),
        signal,
      });
      if (placed.type === "cancelled") return cancelled;
      patience.spend(placed.pausedMs);
      if (placed.type === "out-of-patience") {
        const held = hold(request.model, patience.last(), { patienceLeft: 0, probe: false });
        if (held !== "held") return patience.givenUp(tries - 1);
        patience = retryBudget(clock, patienceMs);
        continue;
      }
      if (placed.wasHeld) {
        patience = retryBudget(clock, patienceMs);
        on({ type: "unpaused" });
      }
      const outcome = await patience.during(attempt(request, on, signal, placed));
      if (signal.aborted) return cancelled;
      if (outcome.type === "reply") return outcome;

      const { failure } = outcome;
      patience.failed(failure);
      const { probe } = placed;
      const held = hold(request.model, failure, { patienceLeft: probe ? 0 : patience.left(), probe });
      if (held === "held") continue;
      if (!retryable(failure)) return outcome;
      if (held === "too-long" && failure.retryAfterMs === undefined) return patience.givenUp(tries);
      const wait = waitAfter(failure, tries, random);
      if (failure.kind === "protocol" && tries >= PROTOCOL_ATTEMPTS) return patience.givenUp(tries);
      if (failure.retryAfterMs === undefined) {
        const ms = Math.min(wait, patience.left());
        if (ms <= 0) return patience.givenUp(tries);
        waiting(ms, failure.message, tries);
        await pause(clock, ms, signal);
        patience.spend(ms);
      } else {
        // Other requests retry after the longest pause that one request accepts, even if the server asked this one to
        // wait longer.
        places.pause(request.model, Math.min(wait, patienceMs), failure.message);
        if (wait > patience.left()) return patience.givenUp(tries);
      }
    }
  };
}

/** Returns at least the server's wait; adds jitter, so that many do not retry together. */
function waitAfter({ retryAfterMs }: ModelFailure, tries: number, random: () => number): number {
  const backOff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1)) * (0.75 + random() / 2);
  return retryAfterMs === undefined ? backOff : retryAfterMs + Math.min(1000, backOff * random());
}

/** A library user's client may reject despite the contract. */
async function safely(
  client: ModelClient,
  request: ModelRequest,
  on: OnModelEvent,
  signal: AbortSignal,
  onAnswer: OnServerAnswer,
): Promise<ModelOutcome> {
  if (signal.aborted) return cancelled;
  try {
    const outcome = await client.ask(request, on, signal, onAnswer);
    return soundOutcome(outcome, request);
  } catch (error) {
    const reason = errorMessage(error);
    const message = `The model client "${client.name}" failed: ${reason}`;
    return failedOutcome({ kind: "protocol", message });
  }
}

/** What one request has waited since its first failure, and what it says when that was too long. */
function retryBudget(clock: Clock, allMs: number) {
  let spentMs = 0;
  let last: ModelFailure | undefined;
  return {
    /** What it failed with last. */
    last: () => last,
    left: () => Math.max(0, allMs - spentMs),
    spend(ms: number): void {
      spentMs += ms;
    },
    failed(failure: ModelFailure): void {
      last = failure;
    },
    /** The first attempt costs nothing, it is the work itself; unless it was waiting for nothing. */
    async during(attempt: Promise<ModelOutcome>): Promise<ModelOutcome> {
      const from = clock.now();
      const outcome = await attempt;
      const silent = outcome.type === "failure" && outcome.failure.kind === "stalled";
      if (last || silent) spentMs += clock.now() - from;
      return outcome;
    },
    givenUp(tries: number): ModelOutcome {
      if (!last) {
        const message =
          "The model server asked everyone to wait longer than this request may wait; try again later.";
        return failedOutcome({ kind: "rate_limit", message });
      }
      const asked = last.retryAfterMs;
      const wait = asked === undefined ? "" : ` It asks to wait ${seconds(asked)} before the next try.`;
      const tried = tries > 1 ? ` Gave up after ${tries} attempts in ${seconds(spentMs)}.` : "";
      return failedOutcome({ ...last, message: last.message + tried + wait });
    },
  };
}

const seconds = (ms: number) => `${Math.max(1, Math.round(ms / 1000))} s`;
