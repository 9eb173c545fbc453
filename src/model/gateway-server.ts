import type { MessagePort } from "node:worker_threads";
import { errorMessage } from "../lib/errors.ts";
import type { Clock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { CountTokens, GatewayNotice, ModelEvent, ModelOutcome, OnModelEvent } from "./client.ts";
import { ConversationReceiver, type SentRequest } from "./conversation-transfer.ts";
import type { FromGateway, ToGateway } from "./gateway-messages.ts";
import type { Ask } from "./governor.ts";

export interface LaneOwner {
  readonly actor: ActorId;
  readonly lead: boolean;
}

export interface LaneServices {
  readonly ask: Ask;
  /** Absent if the client cannot count. */
  readonly countTokens?: CountTokens | undefined;
  readonly clock: Clock;
  readonly onNotice: (notice: GatewayNotice) => void;
  /** Milliseconds between signs that a request is still open; none are sent if it is absent. */
  readonly beatMs?: number;
}

/**
 * Serves one agent's channel: answers its requests, ends them when it cancels or when its port closes. The owner of a
 * request is decided by its port, never by what the agent says.
 */
export function serveLane(port: MessagePort, owner: LaneOwner, services: LaneServices): void {
  const open = new Map<number, AbortController>();
  let isWatched = false;
  const conversation = new ConversationReceiver();

  port.on("message", (message: unknown) => {
    // The other end is an agent's thread: an unknown message must not end the gateway of all agents.
    if (!isToGateway(message)) return;
    switch (message.type) {
      case "ask":
        if (!open.has(message.id)) void answer(message.id, { ...message.request, actor: owner.actor });
        return;
      case "count":
        if (!open.has(message.id)) void count(message.id, { ...message.request, actor: owner.actor });
        return;
      case "cancel":
        return open.get(message.id)?.abort();
      case "watch":
        isWatched = message.on;
        return;
      default:
        message satisfies never;
    }
  });
  port.once("close", () => {
    for (const request of open.values()) request.abort();
  });

  const count = async (id: number, request: SentRequest) => {
    const abort = new AbortController();
    open.set(id, abort);
    // A library user's client may do anything; without a count the agent uses its estimate.
    const whole = conversation.take(request);
    const tokens = await Promise.resolve()
      .then(() => services.countTokens?.(whole, abort.signal) ?? null)
      .catch(() => null);
    open.delete(id);
    const known = typeof tokens === "number" && Number.isFinite(tokens) ? tokens : null;
    port.postMessage({ type: "counted", id, tokens: known } satisfies FromGateway);
  };

  const answer = async (id: number, request: SentRequest) => {
    const abort = new AbortController();
    open.set(id, abort);
    const relay = textRelay(
      services.clock,
      () => request.streamText === true || isWatched,
      (event) => {
        port.postMessage({ type: "event", id, event } satisfies FromGateway);
      },
    );
    const on: OnModelEvent = (event) => {
      const isPause = event.type === "paused" || event.type === "unpaused";
      if (isPause || event.type === "waiting") services.onNotice({ ...event, actor: owner.actor });
      if (!isPause) relay.on(event);
    };
    const send = (outcome: ModelOutcome) =>
      port.postMessage({ type: "outcome", id, outcome } satisfies FromGateway);
    const still = beat(services, owner.actor);
    try {
      const outcome = await services.ask(conversation.take(request), owner.lead, on, abort.signal);
      relay.end();
      send(outcome);
    } catch (error) {
      send(unusable(error));
    } finally {
      open.delete(id);
      still.end();
      relay.end();
    }
  };
}

/** A queued request or a long reply is silent: the watchdog must be able to tell it from a lost one. */
function beat({ clock, beatMs, onNotice }: LaneServices, actor: ActorId): { end(): void } {
  if (beatMs === undefined) return { end() {} };
  const sound = () => {
    onNotice({ type: "open", actor });
    withdraw = clock.after(beatMs, sound);
  };
  let withdraw = clock.after(beatMs, sound);
  return { end: () => withdraw() };
}

/** Checks only the envelope: a whole conversation per turn is too much to validate twice. */
function isToGateway(message: unknown): message is ToGateway {
  if (typeof message !== "object" || message === null || !("type" in message)) return false;
  if (message.type === "watch") return "on" in message && typeof message.on === "boolean";
  if (!("id" in message)) return false;
  if (typeof message.id !== "number") return false;
  if (message.type === "cancel") return true;
  return (
    (message.type === "ask" || message.type === "count") &&
    "request" in message &&
    typeof message.request === "object" &&
    message.request !== null
  );
}

/** A library user's client may return anything; the agent must be notified, or it waits forever. */
function unusable(error: unknown): ModelOutcome {
  const reason = errorMessage(error);
  const message = `The model client's answer cannot be used: ${reason}`;
  return { type: "failure", failure: { kind: "protocol", message } };
}

/** Milliseconds between two pieces of text or of thoughts: often enough to read along, rare enough not to flood a port. */
const APART_MS = 50;

/** Passes events on, text joined to at most one piece per 50 ms (none while it is not shown), in order. */
interface TextRelay {
  readonly on: OnModelEvent;
  /** Hands over what is still held back. */
  end(): void;
}

export function textRelay(clock: Clock, isShown: () => boolean, send: OnModelEvent): TextRelay {
  let held = "";
  let kind: "text" | "thinking" = "text";
  let withdraw: (() => void) | undefined;

  const flush = () => {
    if (held === "") return;
    const piece = held;
    held = "";
    send({ type: kind, text: piece });
  };
  const pass = () => {
    withdraw = undefined;
    if (held === "") return;
    flush();
    withdraw = clock.after(APART_MS, pass);
  };

  return {
    on(event: ModelEvent) {
      if (event.type !== "text" && event.type !== "thinking") {
        flush();
        return send(event);
      }
      if (!isShown()) return;
      if (event.type !== kind) flush();
      kind = event.type;
      held += event.text;
      if (withdraw) return;
      flush();
      withdraw = clock.after(APART_MS, pass);
    },
    end() {
      withdraw?.();
      withdraw = undefined;
      flush();
    },
  };
}
