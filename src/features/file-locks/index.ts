import type { Joints } from "../../supervisor/joints.ts";
import { notRun } from "../../tools/dispatch.ts";
import { WriteLedger } from "./write-ledger.ts";

/**
 * Serializes calls that write the same file; the later one learns of the earlier. Joints: `prepareCall` (waits for
 * its turn), `afterCall`, `onEvent` (the actor has ended).
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
      // A failed call may have written, too.
      ledger.release(id, actor.id, !isError);
      return {};
    },
    onEvent(event) {
      if (event.type === "released") ledger.releaseAll(event.id);
    },
  };
}
