import type { AgentView } from "../../supervisor/view.ts";

export interface PlacedAgent {
  readonly view: AgentView;
  /** How many of its parents are here. */
  readonly indent: number;
}

/** Parents before their children, else in spawn order; one whose parent is not here stands at the edge. */
export function inTreeOrder(views: readonly AgentView[]): PlacedAgent[] {
  const known = new Set(views.map(({ id }) => id));
  const children = Map.groupBy(views, ({ id, parent }) =>
    parent !== null && parent !== id && known.has(parent) ? parent : null,
  );
  const placed: PlacedAgent[] = [];
  const place = (view: AgentView, indent: number): void => {
    placed.push({ view, indent });
    for (const child of children.get(view.id) ?? []) place(child, indent + 1);
  };
  for (const root of children.get(null) ?? []) place(root, 0);
  return placed;
}

/**
 * As many as there are rows for, in their order: first those in trouble, then who works, who ended badly, the
 * queue, and what is done.
 */
export function mostTelling(placed: readonly PlacedAgent[], rows: number): PlacedAgent[] {
  const ranks = new Map(placed.map(({ view }) => [view.id, rankOf(view)]));
  // A parent is as telling as its most telling child: an indented line without it would seem another's.
  for (const { view } of placed.toReversed()) {
    const own = ranks.get(view.id) ?? 0;
    const above = view.parent === null ? undefined : ranks.get(view.parent);
    if (view.parent !== null && above !== undefined) ranks.set(view.parent, Math.min(own, above));
  }
  const rank = ({ view }: PlacedAgent) => ranks.get(view.id) ?? 0;
  const shown = new Set([...placed].sort((a, b) => rank(a) - rank(b)).slice(0, Math.max(0, rows)));
  return placed.filter((agent) => shown.has(agent));
}

/** A watch has found something wrong, and it is not over yet. */
export function isInTrouble({ trouble, state }: AgentView): boolean {
  return trouble !== null && state !== "ended";
}

function rankOf(view: AgentView): number {
  const { state, summary } = view;
  if (state === "ended") return summary?.status === "done" ? 4 : 2;
  if (isInTrouble(view)) return 0;
  return state === "queued" ? 3 : 1;
}
