import type { Joints } from "../../supervisor/joints.ts";
import type { CheckpointParts, FileCopies } from "./file-copies.ts";

/**
 * Copies files before tools write them, so that `/rewind` restores them. Joints: `prepareCall` (copies), `afterCall` (what
 * the call left). What it needs is loaded with the first write.
 */
export function checkpointsFeature(parts: CheckpointParts): Joints {
  let opened: Promise<FileCopies> | null = null;
  const open = async (): Promise<FileCopies> => {
    const { openFileCopies } = await import("./file-copies.ts");
    return openFileCopies(parts);
  };
  return {
    async prepareCall({ actor, id, accesses }) {
      const targets = accesses.flatMap(({ kind, target }) => (kind === "write" ? [target] : []));
      if (targets.length === 0 || parts.trees.at(actor.rootHere) !== null) return {};
      opened ??= open();
      await (await opened).before(id, targets);
      return {};
    },
    async afterCall({ id }) {
      if (opened !== null) (await opened).after(id);
      return {};
    },
  };
}
