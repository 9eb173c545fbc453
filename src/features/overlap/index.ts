import type { Joints } from "../../supervisor/joints.ts";
import type { HeldWorktrees } from "../isolation/held-worktrees.ts";
import type { Radar } from "./session-radar.ts";

/**
 * Agents that write to the same file: both get a notice, or (leases) one waits. Joints: `prepareCall` (the lease),
 * `afterCall` (what was written; in a worktree its snapshot says that), `onEvent`.
 */
export function overlapFeature(radar: Radar, trees: Pick<HeldWorktrees, "at">): Joints {
  return {
    async prepareCall({ actor, running: { local, writes }, signal }) {
      if (!local || writes === null || writes.length === 0) return {};
      const claim = await radar.claim(actor.id, writes, signal);
      return claim.type === "go" ? {} : { refusal: claim.reason };
    },
    afterCall({ actor, running: { writes } }) {
      const mayHaveWritten = writes?.length !== 0 && trees.at(actor.root) === null;
      // An ended actor has released its files.
      if (mayHaveWritten && !actor.hasEnded) radar.wrote(actor.id, writes ?? []);
      return {};
    },
    onEvent(event) {
      if (event.type === "released") radar.released(event.id);
      // An actor that waits for its own agents lends them what it has written.
      if (event.type === "changed" && event.actor.lifecycle.state === "waiting") radar.reconsider();
    },
  };
}
