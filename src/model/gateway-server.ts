import type { MessagePort } from "node:worker_threads";
import type { Clock } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { portChannel } from "../mailbox/rpc/channel.ts";
import { receive, serve } from "../mailbox/rpc/server.ts";
import type { CountTokens, GatewayNotice, ModelEvent, OnModelEvent } from "./client.ts";
import { ConversationReceiver } from "./conversation-transfer.ts";
import { modelNotices, modelRequests } from "./gateway-messages.ts";
import type { Ask } from "./governor.ts";

/** Whose requests come over a port: its port decides, never what the agent says. */
export interface PortOwner {
  readonly actor: ActorId;
  readonly lead: boolean;
}

export interface ServedModel {
  readonly ask: Ask;
  /** Absent if the client cannot count. */
  readonly countTokens?: CountTokens | undefined;
  readonly clock: Clock;
  readonly onNotice: (notice: GatewayNotice) => void;
  /** Milliseconds between signs that a request is still open; none are sent if it is absent. */
  readonly beatMs?: number;
}

/** Serves one agent's requests, and ends them when it cancels or when its port closes. */
export function serveAgent(port: MessagePort, { actor, lead }: PortOwner, model: ServedModel): void {
  const { ask, countTokens, clock, onNotice } = model;
  const channel = portChannel(port);
  const conversation = new ConversationReceiver();
  let isWatched = false;
  receive(channel, modelNotices, {
    watch(on) {
      isWatched = on;
    },
  });
  serve(channel, modelRequests, {
    async ask(request, { signal, event }) {
      const relay = textRelay(clock, () => request.streamText === true || isWatched, event);
      const on: OnModelEvent = (event) => {
        const isPause = event.type === "paused" || event.type === "unpaused";
        if (isPause || event.type === "waiting") onNotice({ ...event, actor });
        if (!isPause) relay.on(event);
      };
      const beat = startBeat(model, actor);
      try {
        return await ask(conversation.take({ ...request, actor }), lead, on, signal);
      } finally {
        beat.end();
        relay.end();
      }
    },
    async count(request, { signal }) {
      const whole = conversation.take({ ...request, actor });
      const tokens = await countTokens?.(whole, signal);
      return typeof tokens === "number" && Number.isFinite(tokens) ? tokens : null;
    },
  });
}

/** A queued request or a long reply is silent: the watchdog must be able to tell it from a lost one. */
function startBeat({ clock, beatMs, onNotice }: ServedModel, actor: ActorId): { end(): void } {
  if (beatMs === undefined) return { end() {} };
  const sound = () => {
    onNotice({ type: "open", actor });
    withdraw = clock.after(beatMs, sound);
  };
  let withdraw = clock.after(beatMs, sound);
  return { end: () => withdraw() };
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
  let kind: Omit<Extract<ModelEvent, { type: "text" | "thinking" }>, "text"> = { type: "text" };
  let withdraw: (() => void) | undefined;

  const flush = () => {
    if (held === "") return;
    const piece = held;
    held = "";
    send({ ...kind, text: piece });
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
      const { text, ...of } = event;
      if (of.type !== kind.type) flush();
      kind = of;
      held += text;
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

/** The gateway's ports, one per actor. Closing one ends the actor's requests. */
export class AgentPorts {
  private readonly ports = new Map<ActorId, MessagePort>();
  private readonly sides = new Set<MessagePort>();

  /** A new port of the same actor is a new attempt: ends requests of the old one. */
  add(actor: ActorId, port: MessagePort, side?: "side"): void {
    if (side !== undefined) {
      this.sides.add(port);
      port.once("close", () => this.sides.delete(port));
      return;
    }
    this.close(actor);
    this.ports.set(actor, port);
    port.once("close", () => {
      if (this.ports.get(actor) === port) this.ports.delete(actor);
    });
  }

  close(actor: ActorId): void {
    this.ports.get(actor)?.close();
    this.ports.delete(actor);
  }

  closeAll(): void {
    for (const actor of [...this.ports.keys()]) this.close(actor);
    for (const port of this.sides) port.close();
  }
}
