import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SealedBlobs } from "../engine/sealed-blobs.ts";
import { inTemporaryFolder } from "../lib/temporary-folder.ts";
import type { OfferedSpec, SentEdits, SentFiles } from "../mailbox/runners.ts";
import type { RunnerRepositories } from "../worktrees/runner/repositories.ts";

/** How files travel between one attempt and its session. */
export interface Travel {
  /** Requests the agent's files as they are now; `have`: commits that are here. */
  request(have: string[]): Promise<SentFiles>;
  readonly blobs: Pick<SealedBlobs, "put" | "take">;
  /** Receives what is left out of its edits, as a sentence: once. */
  onNote(note: string): void;
}

/** Where an agent's files come from, and how they return. */
export interface RunnerFiles {
  /** Makes an agent's files at the path that its offer names. Rejects with a sentence if it cannot. */
  prepare(offer: Pick<OfferedSpec, "files" | "spec" | "attempt">, travel: Travel): Promise<AttemptFiles>;
}

/** The files of one attempt. */
export interface AttemptFiles {
  /** The clone of their repository, or null without one. */
  readonly clone: string | null;
  /** This process group works in them, and is ended if another attempt on this machine wants their path. */
  setOwner(pid: number): void;
  /** Returns what was changed since what the session has, or null if nothing was. Rejects if it cannot be exported. */
  exportEdits(): Promise<SentEdits | null>;
  /** The session has them. */
  acceptEdits(edits: SentEdits): void;
  /** The attempt is over, and none of its processes is left. */
  release(): Promise<void>;
}

/** Gives agents worktrees of the clones that this runner keeps; one that brings no files must find its directory here. */
export function repositoryFiles(repositories: RunnerRepositories): RunnerFiles {
  return {
    async prepare({ files: path, spec: { root }, attempt }, { request, blobs, onNote }) {
      if (path === null) return filesHere(root);
      const { repository, commit, bundle } = await request(await repositories.newest());
      if (bundle !== null)
        await inTemporaryFolder("troupe-travel-", async (folder) => {
          const file = join(folder, "files.bundle");
          await writeFile(file, await blobs.take(bundle));
          await repositories.receive(repository, { commit, bundle: file });
        });
      const lease = await repositories.addTree({ repository, commit, path, attempt });
      let sent = commit;
      const told = new Set<string>();
      return {
        clone: repositories.place(repository),
        setOwner: (pid) => repositories.setOwner(path, pid),
        exportEdits: () =>
          inTemporaryFolder("troupe-travel-", async (folder) => {
            const edits = await repositories.exportSince(path, sent, folder);
            if (edits === null) return null;
            for (const note of edits.notes) if (!told.has(note)) onNote(note);
            for (const note of edits.notes) told.add(note);
            return { commit: edits.commit, bundle: await blobs.put(await readFile(edits.bundle)) };
          }),
        acceptEdits({ commit: accepted }) {
          sent = accepted;
        },
        release: () => repositories.removeTree(path, lease),
      };
    },
  };
}

async function filesHere(root: string): Promise<AttemptFiles> {
  const found = await stat(root).catch(() => null);
  if (!found?.isDirectory())
    throw new Error(
      `The agent's directory ${root} does not exist on its runner, and it has no repository that could be sent there.`,
    );
  return {
    clone: null,
    setOwner() {},
    exportEdits: async () => null,
    acceptEdits() {},
    release: async () => {},
  };
}
