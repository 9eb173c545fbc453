import * as z from "zod/mini";
import type { CallBeginEvent } from "../../events/call.ts";
import type { AgentView } from "../../events/event.ts";
import type { SessionEvent } from "../../journal/session-events.ts";
import { addUsage, noUsage, type Usage, usageSince } from "../../mailbox/conversation.ts";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import type { ActorSpec } from "../../mailbox/messages.ts";
import type { ModelPause } from "../../mailbox/model.ts";
import { usageOf } from "../../mailbox/turns.ts";
import { costOf, type OwnPrices } from "../../model/known-models.ts";
import { agentTitle } from "../../tools/agent.ts";
import { agentTools } from "../../tools/index.ts";
import { noSession, sessionTools } from "../../tools/session-tools.ts";
import { asksUser } from "./actor-view.ts";
import { shownTitle } from "./call-reports.ts";

interface Followed {
  readonly view: AgentView;
  readonly root: string;
  /** Calls that run, by the tool and its argument. */
  readonly calls: ReadonlyMap<CallId, { readonly tool: string; readonly title: string }>;
  /** Of a reply whose turn is not over, in dollars; the view has them, too. */
  readonly replyUsd: number;
  /** Of all its summaries so far. */
  readonly summaries: Usage;
}

/** The agents of a session as its records say. Their times are wall time, in milliseconds. */
export class RecordedAgents {
  readonly #agents = new Map<ActorId, Followed>();
  readonly #prices: OwnPrices;
  /** The last pause of each model. */
  readonly #pauses = new Map<string, Paused>();

  constructor(prices: OwnPrices) {
    this.#prices = prices;
  }

  view(id: ActorId): AgentView | undefined {
    return this.#agents.get(id)?.view;
  }

  /** The directory that its paths are shown relative to. */
  rootOf(id: ActorId): string {
    return this.#agents.get(id)?.root ?? "";
  }

  /** Returns the agents that the record changes. */
  apply(event: SessionEvent, now: number): AgentView[] {
    switch (event.type) {
      case "session":
        // One request finds out whether they still hold.
        this.#pauses.clear();
        return [];
      case "spawn":
        return this.#spawn(event, now);
      case "start":
        return this.#change(event.actor, now, ({ view }) => ({ ...working(view, now), calls: new Map() }));
      case "boarded":
        return this.#change(event.actor, now, () => ({
          view: { runner: event.runner, ...(event.attempt === 1 ? {} : { attempt: event.attempt }) },
        }));
      case "reopen":
        return this.#change(event.actor, now, ({ view }) => {
          const { view: started } = working({ ...view, startedAt: null }, now);
          const { call, background = false } = event;
          return { view: { ...started, call, background }, calls: new Map() };
        });
      case "prompt":
        if (event.system) return [];
        return this.#change(event.actor, now, ({ view }) =>
          view.startedAt === null ? {} : working(view, now),
        );
      case "to-background":
        return this.#change(event.actor, now, () => ({ view: { background: true } }));
      case "before":
        return event.decision === "refuse" ? [] : this.#begin(event, now);
      case "after":
        return this.#change(event.actor, now, ({ calls }) => ({
          calls: new Map([...calls].filter(([call]) => call !== event.call)),
        }));
      case "turn":
        return this.#change(event.actor, now, ({ view, replyUsd }) => ({
          view: {
            turns: view.turns + 1,
            usage: addUsage(view.usage, event.turn.usage),
            costUsd: view.costUsd - replyUsd + this.#costOf({ model: view.model, turns: [event.turn] }),
          },
          calls: new Map(),
          replyUsd: 0,
        }));
      case "summary":
        return this.#change(event.actor, now, ({ view }) => {
          const { summary, durationMs } = event;
          const startedAt = view.startedAt === null ? null : now - durationMs;
          // Its own count has what compactions have used, too.
          const { turns, usage } = summary;
          return {
            view: { state: "ended", startedAt, endedAt: now, summary, turns, usage },
            calls: new Map(),
          };
        });
      case "model":
        if (event.asked) return [];
        return this.#change(event.actor, now, () => ({ view: { model: event.model } }));
      case "reply":
        return this.#change(event.actor, now, ({ view: { model, costUsd }, replyUsd }) => {
          const { usd } = costOf(model, event.reply.usage, this.#prices);
          return { view: { costUsd: costUsd - replyUsd + usd }, replyUsd: usd };
        });
      case "lost-reply":
        return this.#change(event.actor, now, ({ view }) => ({
          view: {
            usage: addUsage(view.usage, event.usage),
            costUsd: view.costUsd + costOf(event.model, event.usage, this.#prices).usd,
          },
        }));
      case "compacted":
        return this.#change(event.actor, now, ({ view: { model, costUsd }, summaries: before }) => {
          const summaries = event.compacted.usage;
          const { usd } = costOf(model, usageSince(summaries, before), this.#prices);
          return { view: { costUsd: costUsd + usd }, summaries };
        });
      case "command":
      case "withdrawn":
      case "command-end":
      case "task":
        return this.#change(event.actor, now, () => ({}));
      case "paused":
        return this.#pause(event.pause, now);
      case "title":
      case "tools":
      case "user-actor":
      case "end":
        return [];
      default:
        return event satisfies never;
    }
  }

  #spawn({ spec, call, background }: Extract<SessionEvent, { type: "spawn" }>, now: number): AgentView[] {
    const { id, parent, depth, type, description, model } = spec;
    const view: AgentView = {
      ...{ id, parent, depth, type, description, call, model, background: background === true },
      ...(spec.key === undefined ? {} : { key: spec.key }),
      ...{ state: "queued", activity: { type: "idle" }, doing: null },
      ...{ turns: spec.turns.length, usage: usageOf(spec.turns), costUsd: this.#costOf(spec) },
      ...{ hasLoop: false, trouble: null, overlap: null },
      ...{ lastSignAt: now, createdAt: now, startedAt: null, endedAt: null, summary: null },
    };
    this.#agents.set(id, { root: spec.root, view, calls: new Map(), replyUsd: 0, summaries: noUsage });
    return [view];
  }

  /** Agents that need the model wait until then. */
  #pause({ model, reason, until }: ModelPause, now: number): AgentView[] {
    const at = new Date(until).toISOString();
    this.#pauses.set(model, { type: "paused", model, reason, from: now, until, at });
    return [...this.#agents].flatMap(([id, { view }]) =>
      view.model === model ? this.#change(id, now, () => ({})) : [],
    );
  }

  #costOf({ model, turns }: Pick<ActorSpec, "model" | "turns">): number {
    return turns.reduce((sum, { usage }) => sum + costOf(model, usage, this.#prices).usd, 0);
  }

  #begin({ actor, call, tool, input }: Extract<SessionEvent, { type: "before" }>, now: number): AgentView[] {
    return this.#change(actor, now, ({ calls, root }) => {
      const { title } = shownTitle(callTitle(tool, input), root);
      return { calls: new Map([...calls, [call, { tool, title }]]) };
    });
  }

  #change(
    id: ActorId,
    now: number,
    by: (agent: Followed) => Partial<Omit<Followed, "root" | "view">> & { view?: Partial<AgentView> },
  ): AgentView[] {
    const agent = this.#agents.get(id);
    if (agent === undefined) return [];
    const { view, ...more } = by(agent);
    const changed = { ...agent.view, ...view, lastSignAt: now };
    const pause = this.#pauses.get(changed.model);
    const paused = pause !== undefined && pause.until > now ? pause : null;
    const followed = { ...agent, ...more };
    const shown = { ...changed, ...workOf(changed.state, [...followed.calls.values()], paused) };
    this.#agents.set(id, { ...followed, view: shown });
    return [shown];
  }
}

type Paused = Extract<AgentView["activity"], { type: "paused" }>;

/** An agent whose calls are all of other agents, or questions to the user, only waits. */
function workOf(
  state: AgentView["state"],
  calls: readonly { readonly tool: string; readonly title: string }[],
  paused: Paused | null,
): Pick<AgentView, "state" | "activity"> {
  if (state === "queued" || state === "ended") return { state, activity: { type: "idle" } };
  const call = calls.at(-1);
  if (call === undefined && paused !== null) return { state: "paused", activity: paused };
  if (call === undefined) return { state: "running", activity: { type: "model" } };
  if (calls.every(asksUser)) return { state: "waiting", activity: { type: "asking" } };
  const waits = calls.every((one) => one.tool === "Agent" || asksUser(one));
  return { state: waits ? "waiting" : "running", activity: { type: "tool", ...call } };
}

function working({ startedAt }: AgentView, now: number): { view: Partial<AgentView> } {
  return { view: { state: "running", endedAt: null, summary: null, startedAt: startedAt ?? now } };
}

const StartedAgent = z.object({ subagent_type: z.optional(z.string()), description: z.string() });

/** Only their titles are used. */
const BUILT_IN = [...agentTools, ...sessionTools(noSession)];

type Titles = Pick<CallBeginEvent, "title" | "description">;

/** Returns what tells a call from others: the tool's own title for it, else the first text in the input, else its name. */
export function callTitle(tool: string, input: unknown): Titles {
  const known = BUILT_IN.find(({ name, aliases }) => name === tool || aliases.includes(tool));
  const ready = known?.prepare(input);
  if (ready?.type === "ready") {
    const { title, description } = ready;
    return { title, ...(description === undefined ? {} : { description }) };
  }
  const { data: agent } = tool === "Agent" ? StartedAgent.safeParse(input) : {};
  if (agent) return { title: agentTitle(agent) };
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
  return { title: values.find(isText) ?? tool };
}
