import { stat } from "node:fs/promises";
import type { OfferedSpec, SentEdits } from "../mailbox/runners.ts";

/** Where an agent's files come from, and how they return. */
export interface RunnerFiles {
  /** Makes an agent's files at the path that its spec names. Rejects with a sentence if it cannot. */
  prepare(offer: OfferedSpec): Promise<AttemptFiles>;
}

/** The files of one attempt. */
export interface AttemptFiles {
  /** Returns what was changed since the last time, or null if nothing was. Rejects if it cannot be exported. */
  exportEdits(): Promise<SentEdits | null>;
  /** The attempt is over, and none of its processes is left. */
  release(): Promise<void>;
}

/** Serves agents whose directory exists on this machine; an agent that brings files needs `repositories`. */
export function localFiles(repositories: RunnerFiles | null): RunnerFiles {
  return {
    async prepare(offer) {
      if (offer.files !== null && repositories !== null) return repositories.prepare(offer);
      if (offer.files !== null)
        throw new Error("This runner cannot take repositories: it has no directory for them (--trees).");
      const { root } = offer.spec;
      const found = await stat(root).catch(() => null);
      if (!found?.isDirectory())
        throw new Error(
          `The agent's directory ${root} does not exist on its runner, and it has no repository that could be sent there.`,
        );
      return { exportEdits: async () => null, release: async () => {} };
    },
  };
}
