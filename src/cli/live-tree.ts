import type { AgentView, SupervisorEvent } from "../events/event.ts";
import { usageSince } from "../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { Paint } from "../terminal/colour.ts";
import { cutToWidth, displayWidth, padToWidth } from "../terminal/display-width.ts";
import { safeLine } from "../terminal/safe-text.ts";
import { agentFigures, agentName, formatDoingAndOverlap, nameToFit, stateMark } from "./agent-text.ts";
import { createWaits } from "./waits.ts";

/** The size to fit. */
export interface TreeFrame {
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
  /** The end of each line; absent: turns, tokens, cost and time. */
  readonly figures?: (view: AgentView) => string;
}

export interface TreeLine {
  readonly view: AgentView;
  readonly indent: number;
}

/**
 * The agents as lines that fit the frame: each under its parent, in spawn order. With more agents than rows
 * the ones that do something or went wrong stay, and the last line counts the others.
 */
export function renderTree(views: readonly AgentView[], now: number, frame: TreeFrame): string[] {
  const placed = inTreeOrder(views);
  if (placed.length <= frame.rows) return agentLines(placed, now, frame);
  const shown = mostImportant(placed, Math.max(0, frame.rows - 1));
  const rest = placed.filter((agent) => !shown.has(agent)).map(({ view }) => view);
  const important = placed.filter((agent) => shown.has(agent));
  const lines = agentLines(important, now, frame);
  if (frame.rows > 0) lines.push(frame.paint("dim", cutToWidth(foldedLine(rest), frame.columns)));
  return lines;
}

/** Below this a line has no columns of their own for what the agent does and its figures. */
const NARROW = 50;
/** Wider lines are hard to follow with the eye. */
const WIDEST = 120;

/** Returns one line for each agent. */
export function agentLines(
  placed: readonly TreeLine[],
  now: number,
  { columns, paint, figures: figuresOf }: Omit<TreeFrame, "rows">,
): string[] {
  const width = Math.min(columns, WIDEST);
  const rows = placed.map(({ view, indent }) => ({
    // A limit to the indent leaves room for names.
    lead: "  ".repeat(Math.min(indent, Math.floor(width / 8))),
    mark: stateMark(view, paint),
    view,
    name: agentName(view),
    activity: view.trouble === null ? formatDoingAndOverlap(view, now) : safeLine(view.trouble),
    figures: figuresOf?.(view) ?? agentFigures(view, now),
  }));
  if (width < NARROW) {
    return rows.map(({ view, lead, mark, activity, figures }) => {
      const room = width - lead.length - 2;
      if (room < 1) return mark;
      const name = nameToFit(view, room);
      return `${lead}${mark} ${cutToWidth([name, activity, figures].filter(Boolean).join("  "), room)}`;
    });
  }
  const forFigures = widest(rows.map(({ figures }) => displayWidth(figures)));
  const rest = width - forFigures - 4;
  const names = widest(rows.map(({ lead, name }) => lead.length + 2 + displayWidth(name)));
  const activities = widest(rows.map(({ activity }) => displayWidth(activity)));
  const forNames = Math.min(names, Math.max(Math.floor(rest / 2), rest - activities));
  return rows.map(({ view, lead: whole, mark, activity, figures }) => {
    // A long activity may leave less room than the indent of the deepest agents.
    const lead = whole.slice(0, Math.max(0, forNames - 2));
    const forName = forNames - lead.length - 2;
    const left = padToWidth(nameToFit(view, forName), forName);
    const middle = padToWidth(activity, rest - forNames);
    return `${lead}${mark} ${left}  ${paint("dim", middle)}  ${figures.padStart(forFigures)}`;
  });
}

function widest(widths: readonly number[]): number {
  return Math.max(0, ...widths);
}

/** Parents before their children; one whose parent is not here is not indented. */
export function inTreeOrder(views: readonly AgentView[]): TreeLine[] {
  const known = new Set(views.map(({ id }) => id));
  const children = Map.groupBy(views, ({ id, parent }) =>
    parent !== null && parent !== id && known.has(parent) ? parent : null,
  );
  const placed: TreeLine[] = [];
  const place = (view: AgentView, indent: number): void => {
    placed.push({ view, indent });
    for (const child of children.get(view.id) ?? []) place(child, indent + 1);
  };
  for (const root of children.get(null) ?? []) place(root, 0);
  return placed;
}

/** The ones that do something first, then those that went wrong, the queue, and what is done. */
function mostImportant(placed: readonly TreeLine[], rows: number): Set<TreeLine> {
  const ranks = new Map(placed.map(({ view }) => [view.id, rankOf(view)]));
  // A parent is as important as its most important child: without it an indented line would seem another's.
  for (const { view } of placed.toReversed()) {
    const own = ranks.get(view.id);
    const above = view.parent === null ? undefined : ranks.get(view.parent);
    if (view.parent !== null && own !== undefined && above !== undefined) {
      ranks.set(view.parent, Math.min(own, above));
    }
  }
  const rank = ({ view }: TreeLine) => ranks.get(view.id) ?? 0;
  return new Set([...placed].sort((a, b) => rank(a) - rank(b)).slice(0, rows));
}

function rankOf(view: AgentView): number {
  if (view.state === "ended") return view.summary?.status === "done" ? 3 : 1;
  return view.state === "queued" ? 2 : 0;
}

function foldedLine(rest: readonly AgentView[]): string {
  const words = rest.map((view) => {
    if (view.state === "queued") return "queued";
    if (view.state !== "ended") return "running";
    return view.summary?.status === "done" ? "done" : "ended otherwise";
  });
  const counts = ["running", "queued", "done", "ended otherwise"].flatMap((word) => {
    const count = words.filter((other) => other === word).length;
    return count > 0 ? [`${word} ${count}`] : [];
  });
  return `… and ${rest.length} more (${counts.join(", ")})`;
}

/**
 * The working agents, as lines. `wholeSession`: those that have ended stay, and the main conversation's line counts from
 * its start, not from that of its run.
 */
export function createLiveView(now: () => number, { wholeSession = false } = {}) {
  const views = new Map<ActorId, AgentView>();
  const waits = createWaits();
  /** The main conversation when its run began: its line counts from then, as its time does. */
  let before: AgentView | null = null;
  let changedAt = 0;
  const sinceItsStart = (view: AgentView): AgentView => {
    if (before?.startedAt !== view.startedAt) before = view;
    const { turns, usage, costUsd } = before ?? view;
    return {
      ...{ ...view, turns: view.turns - turns, usage: usageSince(view.usage, usage) },
      costUsd: view.costUsd - costUsd,
    };
  };
  return {
    onEvent(event: SupervisorEvent): void {
      if (event.type === "waiting" || event.type === "agent") changedAt = now();
      if (event.type === "waiting") waits.add(event, now());
      if (event.type !== "agent") return;
      const { view } = event;
      if (view.state === "ended" && !wholeSession) views.delete(view.id);
      else views.set(view.id, view.id === MAIN && !wholeSession ? sinceItsStart(view) : view);
      if (view.state === "ended" || view.activity.type === "tool") waits.end(view.id);
    },
    /** True if an agent works, also in the background. */
    busy: () => views.size > 0,
    /** True if anything has changed since then. */
    isNewer: (at: number) => changedAt > at,
    lines(at: number, { columns, rows, paint }: Omit<TreeFrame, "figures">): string[] {
      const countdown = waits.line(at);
      const forTree = Math.max(1, rows - (countdown === undefined ? 0 : 1));
      const tree = renderTree([...views.values()], at, { columns, rows: forTree, paint });
      return countdown === undefined ? tree : [...tree, paint("yellow", cutToWidth(countdown, columns))];
    },
  };
}
