import type { AgentView } from "../../events/event.ts";
import { addUsage, noUsage, type Usage, usageSince } from "../../mailbox/conversation.ts";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import type { ActorSpec, Turn } from "../../mailbox/messages.ts";
import type { ModelPause } from "../../mailbox/model-pause.ts";
import type { JournalRecord, SessionEvent } from "../../mailbox/session-events.ts";
import { usageOf } from "../../mailbox/turns.ts";
import { costOf, type OwnPrices } from "../../model/prices.ts";
import { callTitle } from "./call-title.ts";

interface Followed {
  readonly view: AgentView;
  readonly root: string;
  /** Calls that run, by the tool and its argument. */
  readonly calls: ReadonlyMap<CallId, { readonly tool: string; readonly title: string }>;
  /** Of a reply whose turn is not over, in dollars. */
  readonly replyUsd: number;
  /** Of all its summaries so far. */
  readonly summaries: Usage;
}

/** The agents of a session as its journal says. Their times are wall time, in milliseconds. */
export class SessionView {
  readonly #agents = new Map<ActorId, Followed>();
  readonly #prices: OwnPrices;
  readonly #changed = new Set<ActorId>();
  /** The last pause of each model; all times here are wall time. */
  readonly #pauses = new Map<string, Paused>();
  #session: Extract<SessionEvent, { type: "session" }> | null = null;
  #startedAt: string | null = null;

  constructor(prices: OwnPrices) {
    this.#prices = prices;
  }

  get cwd(): string {
    return this.#session?.cwd ?? "";
  }

  get model(): string {
    return this.#session?.model ?? "";
  }

  /** Wall time, ISO 8601. */
  get startedAt(): string {
    return this.#startedAt ?? new Date(0).toISOString();
  }

  /** In the order of the spawns. */
  get agents(): readonly AgentView[] {
    return [...this.#agents.values()].map(({ view }) => view);
  }

  get costUsd(): number {
    return [...this.#agents.values()].reduce((sum, { view, replyUsd }) => sum + view.costUsd + replyUsd, 0);
  }

  /** Returns the agents that changed since the last call. */
  takeChanged(): readonly AgentView[] {
    const changed = this.agents.filter(({ id }) => this.#changed.has(id));
    this.#changed.clear();
    return changed;
  }

  apply({ at, event }: JournalRecord): void {
    const now = Date.parse(at);
    switch (event.type) {
      case "session":
        this.#startedAt = at;
        this.#session = event;
        // One request finds out whether they still hold.
        this.#pauses.clear();
        break;
      case "spawn":
        this.#spawn(event, now);
        break;
      case "start":
      case "reopen":
        this.#change(event.actor, now, ({ view }) => ({
          view: { ...working, startedAt: view.startedAt ?? now },
          calls: new Map(),
        }));
        break;
      case "prompt":
        if (!event.system)
          this.#change(event.actor, now, ({ view }) => (view.startedAt === null ? {} : { view: working }));
        break;
      case "before":
        if (event.decision !== "refuse") this.#begin(event, now);
        break;
      case "after":
        this.#change(event.actor, now, ({ calls }) => ({
          calls: new Map([...calls].filter(([call]) => call !== event.call)),
        }));
        break;
      case "turn":
        this.#change(event.actor, now, ({ view }) => ({
          view: this.#afterTurn(view, event.turn),
          calls: new Map(),
          replyUsd: 0,
        }));
        break;
      case "summary":
        this.#change(event.actor, now, () => ({
          view: { state: "ended", endedAt: now, summary: event.summary, turns: event.summary.turns },
          calls: new Map(),
        }));
        break;
      case "model":
        this.#change(event.actor, now, () => ({ view: { model: event.model } }));
        break;
      case "reply":
        this.#change(event.actor, now, ({ view: { model } }) => ({
          replyUsd: costOf(model, event.reply.usage, this.#prices).usd,
        }));
        break;
      case "compacted":
        this.#change(event.actor, now, ({ view: { model, costUsd }, summaries: before }) => {
          const summaries = event.compacted.usage;
          const { usd } = costOf(model, usageSince(summaries, before), this.#prices);
          return { view: { costUsd: costUsd + usd }, summaries };
        });
        break;
      case "command":
      case "to-background":
      case "withdrawn":
      case "command-end":
      case "task":
        this.#change(event.actor, now, () => ({}));
        break;
      case "paused":
        this.#pause(event.pause, now);
        break;
      case "title":
      case "user-actor":
      case "end":
        break;
      default:
        event satisfies never;
    }
  }

  #spawn({ spec, call, background }: Extract<SessionEvent, { type: "spawn" }>, now: number): void {
    this.#changed.add(spec.id);
    this.#agents.set(spec.id, {
      root: spec.root,
      calls: new Map(),
      ...{ replyUsd: 0, summaries: noUsage },
      view: {
        ...{
          id: spec.id,
          parent: spec.parent,
          depth: spec.depth,
          type: spec.type,
          description: spec.description,
        },
        ...{ state: "queued", activity: { type: "idle" }, doing: null, model: spec.model },
        ...{ turns: spec.turns.length, usage: usageOf(spec.turns), costUsd: this.#costOf(spec) },
        ...{ call, background: background === true, hasLoop: false, trouble: null, overlap: null },
        ...{ lastSignAt: now, createdAt: now, startedAt: null, endedAt: null, summary: null },
      },
    });
  }

  /** Agents that need the model wait until then. */
  #pause({ model, reason, until }: ModelPause, now: number): void {
    const at = new Date(until).toISOString();
    this.#pauses.set(model, { type: "paused", model, reason, from: now, until, at });
    for (const [id, { view }] of this.#agents) if (view.model === model) this.#change(id, now, () => ({}));
  }

  #costOf({ model, turns }: Pick<ActorSpec, "model" | "turns">): number {
    return turns.reduce((sum, { usage }) => sum + costOf(model, usage, this.#prices).usd, 0);
  }

  #begin({ actor, call, tool, input }: Extract<SessionEvent, { type: "before" }>, now: number): void {
    this.#change(actor, now, ({ calls, root }) => ({
      calls: new Map([...calls, [call, { tool, title: callTitle(tool, input).replaceAll(`${root}/`, "") }]]),
    }));
  }

  #afterTurn(view: AgentView, turn: Turn): Partial<AgentView> {
    return {
      turns: view.turns + 1,
      usage: addUsage(view.usage, turn.usage),
      costUsd: view.costUsd + this.#costOf({ model: view.model, turns: [turn] }),
    };
  }

  #change(
    id: ActorId,
    now: number,
    by: (agent: Followed) => Partial<Omit<Followed, "root" | "view">> & { view?: Partial<AgentView> },
  ): void {
    const agent = this.#agents.get(id);
    if (agent === undefined) return;
    const { view, ...more } = by(agent);
    const changed = { ...agent.view, ...view, lastSignAt: now };
    const pause = this.#pauses.get(changed.model);
    const paused = pause !== undefined && pause.until > now ? pause : null;
    this.#changed.add(id);
    const followed = { ...agent, ...more };
    const { calls } = followed;
    this.#agents.set(id, {
      ...followed,
      view: { ...changed, ...workOf(changed.state, [...calls.values()], paused) },
    });
  }
}

type Paused = Extract<AgentView["activity"], { type: "paused" }>;

/** An agent whose calls are all of other agents only waits. */
function workOf(
  state: AgentView["state"],
  calls: readonly { readonly tool: string; readonly title: string }[],
  paused: Paused | null,
): Pick<AgentView, "state" | "activity"> {
  if (state === "queued" || state === "ended") return { state, activity: { type: "idle" } };
  const call = calls.at(-1);
  if (call === undefined && paused !== null) return { state: "paused", activity: paused };
  if (call === undefined) return { state: "running", activity: { type: "model" } };
  const waits = calls.every(({ tool }) => tool === "Agent");
  return { state: waits ? "waiting" : "running", activity: { type: "tool", ...call } };
}

const working = { state: "running", endedAt: null, summary: null } as const;
