import type { EditWatch } from "../../lsp/edit-watch.ts";
import type { Joints } from "../../supervisor/joints.ts";

/**
 * Language servers get the files that calls write and report errors in them. Joints: `prepareCall`, `afterCall` (adds
 * new errors to the result).
 */
export function languagesFeature(languages: EditWatch): Joints {
  return {
    prepareCall({ actor, running: { local, writes } }) {
      if (!local) return {};
      if (writes !== null) languages.willWrite(writes);
      return languages.watches(writes ?? [], actor.root) ? { watched: true } : {};
    },
    async afterCall({ actor, running: { writes, cwd }, result, isError, signal }) {
      if (writes === null || writes.length === 0) return {};
      const { root } = actor;
      const append =
        result === null || isError ? null : await languages.problems(writes, { root, cwd }, signal);
      languages.wrote(writes, root);
      return append === null ? {} : { append };
    },
  };
}
