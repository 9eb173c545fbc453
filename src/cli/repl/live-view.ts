import type { ActorId } from "../../mailbox/ids.ts";
import type { AgentView, SupervisorEvent } from "../../supervisor/view.ts";
import type { Paint } from "../colour.ts";
import { cutToWidth } from "../display-width.ts";
import { renderTree } from "../live-tree.ts";
import { createWaits } from "../waits.ts";

/** The working agents, as lines. */
export interface LiveView {
  onEvent(event: SupervisorEvent): void;
  /** Assigns what ended before now to an earlier turn. */
  begin(): void;
  /** True if an agent still works, also in the background. */
  busy(): boolean;
  /** Includes agents that ended in the running turn; between turns only working ones. */
  lines(
    now: number,
    frame: { readonly columns: number; readonly rows: number; readonly paint: Paint },
    inTurn: boolean,
  ): string[];
}

export function createLiveView(now: () => number): LiveView {
  const views = new Map<ActorId, AgentView>();
  const waits = createWaits();
  return {
    onEvent(event) {
      if (event.type === "waiting") waits.add(event, now());
      if (event.type !== "agent") return;
      const { view } = event;
      views.set(view.id, view);
      if (view.state === "ended" || view.activity.type === "tool") waits.end(view.id);
    },
    begin() {
      for (const [id, { state }] of views) if (state === "ended") views.delete(id);
    },
    busy: () => [...views.values()].some(({ state }) => state !== "ended"),
    lines(at, { columns, rows, paint }, inTurn) {
      const shown = [...views.values()].filter(({ state }) => inTurn || state !== "ended");
      const countdown = waits.line(at);
      const forTree = Math.max(1, rows - (countdown === undefined ? 0 : 1));
      const tree = renderTree(shown, at, { columns, rows: forTree, paint });
      return countdown === undefined ? tree : [...tree, paint("yellow", cutToWidth(countdown, columns))];
    },
  };
}
