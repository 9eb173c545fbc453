import type { Joints } from "../../supervisor/joints.ts";
import { notRun } from "../../tools/dispatch.ts";
import { WriteLedger } from "./write-ledger.ts";

/**
 * Two calls that write the same file come one after the other, and the later one is told of the earlier. Joints:
 * `prepareCall` (waits for its turn), `afterCall`, `onEvent` (the actor has ended).
 */
export function fileLocks(ledger = new WriteLedger()): Joints {
  return {
    async prepareCall({ actor, id, accesses, signal }) {
      const targets = accesses.flatMap(({ kind, target }) => (kind === "write" ? [target] : []));
      if (targets.length === 0) return {};
      const writer = { actor: actor.id, description: actor.spec.description };
      const lastWriters = await ledger.hold(id, writer, targets, signal);
      return lastWriters === null ? { refusal: String(notRun.content) } : { lastWriters };
    },
    afterCall({ actor, id, isError }) {
      // Also a call that failed may have written.
      ledger.release(id, actor.id, !isError);
      return {};
    },
    onEvent(event) {
      if (event.type === "released") ledger.releaseAll(event.id);
    },
  };
}
