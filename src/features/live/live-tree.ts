import type { Usage } from "../../mailbox/conversation.ts";
import type { Activity, AgentView } from "../../supervisor/view.ts";
import type { LiveAgent, LivePatch } from "./protocol.ts";

/** More than any terminal shows of one thing on a line; a command or a reason can be pages. */
const MAX_CHARS = 240;

/**
 * The agents as they were looked at last. One that has not changed since is the same object again, so that what
 * is new for a viewer is found by comparing references.
 */
export class LiveTree {
  #agents: readonly LiveAgent[] = [];

  look(views: readonly AgentView[]): readonly LiveAgent[] {
    const before = this.#agents;
    this.#agents = views.map((view, index) => {
      const now = liveAgent(view);
      const known = before[index];
      return known !== undefined && isSame(known, now) ? known : now;
    });
    return this.#agents;
  }
}

/**
 * What turns `before` into `after`: patches, new agents last. Null where agents are gone or stand in another
 * order, which only a whole tree can say.
 */
export function changesBetween(
  before: readonly LiveAgent[],
  after: readonly LiveAgent[],
): readonly LivePatch[] | null {
  if (after.length < before.length) return null;
  const patches: LivePatch[] = [];
  for (const [index, agent] of after.entries()) {
    const known = before[index];
    if (known === agent) continue;
    if (known === undefined) patches.push(agent);
    else if (known.id === agent.id) patches.push(patch(known, agent));
    else return null;
  }
  return patches;
}

function liveAgent(view: AgentView): LiveAgent {
  const { activity, doing, trouble, overlap, summary } = view;
  return {
    id: view.id,
    parent: view.parent,
    depth: view.depth,
    type: cut(view.type),
    description: cut(view.description),
    state: view.state,
    activity: cutActivity(activity),
    doing: doing === null ? null : cut(doing),
    model: view.model,
    turns: view.turns,
    usage: view.usage,
    costUsd: view.costUsd,
    background: view.background,
    hasThread: view.hasThread,
    lastSignAt: view.lastSignAt,
    trouble: trouble === null ? null : cut(trouble),
    overlap: overlap === null ? null : cut(overlap),
    createdAt: view.createdAt,
    startedAt: view.startedAt,
    endedAt: view.endedAt,
    status: summary?.status ?? null,
    reason: summary?.reason === undefined ? null : cut(summary.reason),
  };
}

function cut(text: string): string {
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`;
}

function cutActivity(activity: Activity): Activity {
  switch (activity.type) {
    case "tool":
      return activity.title.length <= MAX_CHARS ? activity : { ...activity, title: cut(activity.title) };
    case "retrying":
      return activity.reason.length <= MAX_CHARS ? activity : { ...activity, reason: cut(activity.reason) };
    case "idle":
    case "model":
      return activity;
    default:
      return activity satisfies never;
  }
}

/** In the order in which they change most often. `id` never does. */
const FIELDS = [
  "lastSignAt",
  "activity",
  "usage",
  "costUsd",
  "turns",
  "state",
  "doing",
  "trouble",
  "overlap",
  "hasThread",
  "startedAt",
  "endedAt",
  "status",
  "reason",
  "description",
  "model",
  "background",
  "parent",
  "depth",
  "type",
  "createdAt",
] as const satisfies readonly (keyof LiveAgent)[];

function isSame(a: LiveAgent, b: LiveAgent): boolean {
  return a.id === b.id && FIELDS.every((field) => isSameField(field, a, b));
}

function patch(before: LiveAgent, after: LiveAgent): LivePatch {
  const changed = FIELDS.filter((field) => !isSameField(field, before, after));
  return { id: after.id, ...Object.fromEntries(changed.map((field) => [field, after[field]])) };
}

function isSameField(field: (typeof FIELDS)[number], a: LiveAgent, b: LiveAgent): boolean {
  if (a[field] === b[field]) return true;
  if (field === "activity") return isSameActivity(a.activity, b.activity);
  return field === "usage" && isSameUsage(a.usage, b.usage);
}

function isSameActivity(a: Activity, b: Activity): boolean {
  if (a.type === "tool") return b.type === "tool" && a.tool === b.tool && a.title === b.title;
  if (a.type !== "retrying") return a.type === b.type;
  return b.type === "retrying" && a.until === b.until && a.attempt === b.attempt && a.reason === b.reason;
}

function isSameUsage(a: Usage, b: Usage): boolean {
  return (
    a.output_tokens === b.output_tokens &&
    a.input_tokens === b.input_tokens &&
    a.cache_read_input_tokens === b.cache_read_input_tokens &&
    a.cache_creation_input_tokens === b.cache_creation_input_tokens
  );
}
