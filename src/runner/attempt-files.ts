import { chmodSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SealedBlobs } from "../engine/sealed-blobs.ts";
import type { Outputs } from "../journal/outputs.ts";
import { inTemporaryFolder, makeTemporaryFolder } from "../journal/temporary-folder.ts";
import { randomIds } from "../mailbox/ids.ts";
import { type OfferedSpec, remoteRefs, type SentEdits, type SentFiles } from "../mailbox/runners.ts";
import type { RunnerRepositories } from "../worktrees/runner/repositories.ts";
import { type AgentUser, giveTo } from "./agent-fork.ts";

/** How files travel between one attempt and its session. */
export interface Travel {
  /** Requests the agent's files as they are now; `have`: commits that are here. */
  request(have: string[], hasRemote: boolean): Promise<SentFiles>;
  /** Aborted when the attempt is over: its files travel no longer. */
  readonly signal: AbortSignal;
  readonly blobs: Pick<SealedBlobs, "put" | "take">;
  /** Receives what is left out of its edits, as a sentence: once. */
  onNote(note: string): void;
}

/** Where an agent's files come from, and how they return. */
export interface RunnerFiles {
  /** Makes an agent's files at the path that its offer names. Rejects with a sentence if it cannot. */
  prepare(offer: Omit<OfferedSpec, "rules" | "version">, travel: Travel): Promise<AttemptFiles>;
  /** Removes what is kept for later attempts and is over its limit. */
  prune(): Promise<unknown>;
}

/** `common`: the git directory of its worktree, which is its own and reads the objects of the runner's clone. */
export interface AttemptGit {
  readonly common: string;
  readonly clone: string;
}

/** The files of one attempt. */
export interface AttemptFiles {
  /** Where git has them, or null without a repository. */
  readonly git: AttemptGit | null;
  /** This process group works in them, and is ended if another attempt on this machine wants their path. */
  setOwner(pid: number): void;
  /** Returns what was changed since what the session has, or null if nothing was. Rejects if it cannot be exported. */
  exportEdits(): Promise<SentEdits | null>;
  /** The session has them. */
  acceptEdits(edits: SentEdits): void;
  /** The attempt is over, and none of its processes is left. */
  release(): Promise<void>;
}

/** `url`: `troupe.runners.remote`. Gives agents worktrees of the clones that this runner keeps; one that brings no files must find its directory here. */
export function repositoryFiles(repositories: RunnerRepositories, url?: string): RunnerFiles {
  return {
    async prepare(offer, travel) {
      const { signal, blobs, onNote } = travel;
      const { files: path } = offer;
      if (path === null) return filesHere(offer.spec.root);
      const placed = await repositories.relying(() => placeFiles(repositories, offer, path, travel, url));
      const { repository, commit, remote, lease } = placed;
      const { trees } = repositories;
      let sent = commit;
      const told = new Set<string>();
      return {
        git: { common: trees.commonOf(path), clone: repositories.place(repository) },
        setOwner: (pid) => trees.setOwner(path, pid),
        exportEdits: () =>
          inTemporaryFolder("travel", async (folder) => {
            const to = { base: sent, into: folder, remote, signal };
            const edits = await trees.exportSince(path, to);
            if (edits === null) return null;
            for (const note of edits.notes) if (!told.has(note)) onNote(note);
            for (const note of edits.notes) told.add(note);
            const bytes = edits.bundle === null ? null : await readFile(edits.bundle);
            return { commit: edits.commit, bundle: bytes === null ? null : await blobs.put(bytes) };
          }),
        acceptEdits({ commit: accepted }) {
          sent = accepted;
        },
        release: () => trees.remove(path, lease),
      };
    },
    prune: () => repositories.prune(),
  };
}

/** Makes the worktree of an attempt, at `path`, with what its session sends. */
async function placeFiles(
  repositories: RunnerRepositories,
  offer: Parameters<RunnerFiles["prepare"]>[0],
  path: string,
  { request, signal, blobs }: Travel,
  url: string | undefined,
) {
  const files = await request(await repositories.newest(), url !== undefined);
  const { repository, commit, bundle, isPushed } = files;
  const { attempt } = offer;
  // Both sides must have one.
  const remote =
    url === undefined || isPushed === undefined
      ? undefined
      : { url, refs: `${remoteRefs(offer)}/${attempt}` };
  if (isPushed && remote !== undefined) await repositories.fetch(repository, { commit, remote, signal });
  if (bundle !== null)
    await inTemporaryFolder("travel", async (folder) => {
      const file = join(folder, "files.bundle");
      await writeFile(file, await blobs.take(bundle));
      await repositories.receive(repository, { commit, bundle: file });
    });
  const lease = await repositories.trees.add({ repository, commit, path, attempt });
  return { repository, commit, remote, lease };
}

async function filesHere(root: string): Promise<AttemptFiles> {
  const found = await stat(root).catch(() => null);
  if (!found?.isDirectory())
    throw new Error(
      `The agent's directory ${root} does not exist on its runner, and it has no repository that could be sent there.`,
    );
  return {
    git: null,
    setOwner() {},
    exportEdits: async () => null,
    acceptEdits() {},
    release: async () => {},
  };
}

export interface AttemptOutputs extends Pick<Outputs, "folder" | "next" | "remove"> {
  /** A directory for what hooks read, in which the agent's user can make nothing. */
  readonly events: string;
  /** Lets the agent's user read a file in it. */
  lend(path: string): void;
}

/** Makes a private directory for what the commands of one attempt write, which its agent can read. */
export function makeOutputs(user: AgentUser | undefined): AttemptOutputs {
  const folder = makeTemporaryFolder("agent");
  giveTo(user, folder);
  const events = makeTemporaryFolder("events");
  // Not listed, and its names are random.
  if (user !== undefined) chmodSync(events, 0o711);
  const ids = randomIds();
  return {
    ...{ folder, events },
    lend: (path) => giveTo(user, path),
    next() {
      const id = ids.task();
      return { id, path: join(folder, `${id}.txt`) };
    },
    async remove() {
      for (const one of [folder, events]) await rm(one, { recursive: true, force: true });
    },
  };
}
