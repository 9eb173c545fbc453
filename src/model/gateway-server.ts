import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { portChannel } from "../mailbox/rpc/channel.ts";
import { receive, serve } from "../mailbox/rpc/server.ts";
import type {
  CountTokens,
  Gateway,
  GatewayNotice,
  ModelClient,
  ModelEvent,
  OnModelEvent,
  Reserve,
} from "./client.ts";
import { ConversationReceiver } from "./conversation-transfer.ts";
import { modelNotices, modelRequests } from "./gateway-messages.ts";
import { type Ask, type GovernorOptions, governed } from "./governor.ts";
import { Meter } from "./meter.ts";

interface LocalGatewayOptions extends Partial<Omit<GovernorOptions, "meter">> {
  /** Milliseconds between signs that a request is still open; none are sent if it is absent. */
  readonly beatMs?: number;
}

interface LocalGateway extends Gateway {
  /** Serves an agent over a port that another thread has made. */
  serve(port: MessagePort, actor: ActorId, lead: boolean, side?: "side"): void;
}

/** Returns a gateway on the caller's own thread: for scripted models, a library user's own client, and the gateway's thread. */
export function localGateway(client: ModelClient, options: LocalGatewayOptions = {}): LocalGateway {
  const { clock = systemClock, random = Math.random, beatMs, ...limits } = options;
  const ports = new AgentPorts();
  let onNotice: (notice: GatewayNotice) => void = () => {};
  let reserve: Reserve | null = null;
  const countTokens = client.countTokens?.bind(client);
  const notify = (notice: GatewayNotice) => onNotice(notice);
  const meter = new Meter({ clock, onNotice: notify, countTokens, reserve: () => reserve });
  const ask = governed(client, { ...limits, clock, random, meter });
  let closed = false;
  const serve: LocalGateway["serve"] = (port, actor, lead, side) => {
    ports.add(actor, port, side);
    serveAgent(port, actor, lead, { ask, countTokens, clock, onNotice: notify, beatMs });
  };
  return {
    serve,
    connect(actor, lead, side) {
      const { port1, port2 } = new MessageChannel();
      if (closed) port1.close();
      else serve(port1, actor, lead, side);
      return port2;
    },
    get isOver() {
      return closed;
    },
    disconnect: (actor) => ports.close(actor),
    onNotice(listener) {
      onNotice = listener;
    },
    meter(given) {
      reserve = given;
    },
    // On the caller's thread it cannot die by itself.
    onClosed() {},
    async close() {
      closed = true;
      ports.closeAll();
    },
  };
}

interface ServedModel {
  readonly ask: Ask;
  /** Absent if the client cannot count. */
  readonly countTokens?: CountTokens | undefined;
  readonly clock: Clock;
  readonly onNotice: (notice: GatewayNotice) => void;
  readonly beatMs: number | undefined;
}

/**
 * Serves one agent's requests, and ends them when it cancels or when its port closes. Whose requests they are its port
 * decides, never what the agent says.
 */
function serveAgent(port: MessagePort, actor: ActorId, lead: boolean, model: ServedModel): void {
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
export function textRelay(clock: Clock, isShown: () => boolean, send: OnModelEvent) {
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
    /** Hands over what is still held back. */
    end() {
      withdraw?.();
      withdraw = undefined;
      flush();
    },
  };
}

/** The gateway's ports, one per actor. Closing one ends the actor's requests. */
class AgentPorts {
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
