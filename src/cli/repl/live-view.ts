import type { AgentView, SupervisorEvent } from "../../events/event.ts";
import { usageSince } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Paint } from "../../terminal/colour.ts";
import { cutToWidth } from "../../terminal/display-width.ts";
import { renderTree } from "../live-tree.ts";
import { createWaits } from "../waits.ts";

/** The working agents, as lines. */
export interface LiveView {
  onEvent(event: SupervisorEvent): void;
  /** True if an agent works, also in the background. */
  busy(): boolean;
  /** True if anything has changed since then. */
  isNewer(at: number): boolean;
  lines(
    now: number,
    frame: { readonly columns: number; readonly rows: number; readonly paint: Paint },
  ): string[];
}

export function createLiveView(now: () => number): LiveView {
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
    onEvent(event) {
      if (event.type === "waiting" || event.type === "agent") changedAt = now();
      if (event.type === "waiting") waits.add(event, now());
      if (event.type !== "agent") return;
      const { view } = event;
      if (view.state === "ended") views.delete(view.id);
      else views.set(view.id, view.id === MAIN ? sinceItsStart(view) : view);
      if (view.state === "ended" || view.activity.type === "tool") waits.end(view.id);
    },
    busy: () => views.size > 0,
    isNewer: (at) => changedAt > at,
    lines(at, { columns, rows, paint }) {
      const countdown = waits.line(at);
      const forTree = Math.max(1, rows - (countdown === undefined ? 0 : 1));
      const tree = renderTree([...views.values()], at, { columns, rows: forTree, paint });
      return countdown === undefined ? tree : [...tree, paint("yellow", cutToWidth(countdown, columns))];
    },
  };
}
