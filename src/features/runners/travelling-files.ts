import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionSide } from "../../actors/hosts.ts";
import { inTemporaryFolder } from "../../journal/temporary-folder.ts";
import { textAt } from "../../lib/json.ts";
import type { SessionId } from "../../mailbox/ids.ts";
import { remoteRefs } from "../../mailbox/runners.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";
import type { HeldTree, HeldWorktrees } from "../writers/held-worktrees.ts";

interface FilesParts {
  readonly session: SessionId;
  /** `troupe.runners.remote`. */
  readonly remote?: string | undefined;
  readonly worktrees: TravelWorktrees;
  readonly trees: Pick<HeldWorktrees, "at" | "received" | "merges" | "mergedInto">;
  /** Receives what was left out of an agent's files, as a sentence; it may be the same again. */
  onNote(note: string): void;
}

export type TravelWorktrees = Pick<Worktrees, "exportTree" | "importEdits" | "dropRemoteRefs">;

/** An agent's files, to its runner and back: its worktree here has what was last sent or received. */
export function travellingFiles(
  actor: Actor,
  { session, remote: url, worktrees, trees, onNote }: FilesParts,
): Pick<SessionSide, "sendFiles" | "takeEdits" | "endTravel" | "hasNewFiles"> {
  const { id, attempt } = actor.spec;
  const agent = remoteRefs({ session, actor: id });
  const remote = url === undefined ? undefined : { url, refs: `${agent}/${attempt}` };
  const over = new AbortController();
  /** A checkout whose files its runner may have in the remote. */
  let checkout: string | null = null;
  /** The base of its worktree when its runner got its files: a merge that found conflicts gives it another one. */
  let base: string | null = null;
  /** The merges of the session when its runner got its files. */
  let since = 0;
  const dropRefs = async (folder: string, url: string) => {
    const dropped = await worktrees.dropRemoteRefs({ folder, url, agent, attempt });
    if (dropped.type === "refused") onNote(`its refs may be left in ${url} (${agent}/*): ${dropped.reason}`);
  };
  const heldNow = (): HeldTree => {
    const { isolation } = actor.spec;
    const held = isolation && trees.at(isolation.path);
    if (!held) throw new Error("The agent has no worktree that could be sent to its runner.");
    return held;
  };
  return {
    sendFiles: (have, hasRemote) =>
      inTemporaryFolder("travel", async (into) => {
        const { tree } = heldNow();
        const isShared = hasRemote && remote !== undefined;
        if (isShared) checkout = tree.checkout;
        since = trees.merges;
        const exported = await worktrees.exportTree(
          {
            ...{ source: { type: "tree", tree }, have: [...have], into },
            ...(isShared ? { remote } : {}),
          },
          over.signal,
        );
        if (exported.type === "refused") throw new Error(exported.reason);
        exported.notes.forEach(onNote);
        base = tree.base;
        const { repository, commit, bundle, isPushed } = exported;
        const bytes = bundle === null ? null : await readFile(bundle);
        return { repository, commit, bundle: bytes, ...(isShared ? { isPushed } : {}) };
      }),
    takeEdits: (commit, bytes) =>
      inTemporaryFolder("travel", async (folder) => {
        const bundle = join(folder, "edits.bundle");
        if (bytes !== null) await writeFile(bundle, bytes);
        const held = heldNow();
        // They are of the calls that run now, or of a command in the background.
        const command = [...actor.calls.values()]
          .flatMap(({ input }) => textAt(input, "command") ?? [])
          .join("\n");
        if (bytes === null && remote === undefined) throw new Error("There is no remote to take edits from.");
        const from = bytes === null && remote !== undefined ? { remote } : { bundle };
        const taken = await worktrees.importEdits({ tree: held.tree, commit, ...from }, over.signal);
        if (taken.type === "refused") throw new Error(taken.reason);
        taken.notes.forEach(onNote);
        trees.received(held, { actor: actor.id, files: null, command: command || null }, taken.changed);
      }),
    endTravel() {
      over.abort(new Error("The attempt of the agent is over."));
      if (checkout !== null && url !== undefined)
        void dropRefs(checkout, url).catch((error: Error) => onNote(error.message));
      checkout = null;
    },
    hasNewFiles() {
      if (base === null) return false;
      const { tree } = heldNow();
      return tree.base !== base || trees.mergedInto(tree.path, since).length > 0;
    },
  };
}
