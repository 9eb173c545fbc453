import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionSide } from "../../actors/hosts.ts";
import { inTemporaryFolder } from "../../lib/temporary-folder.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";
import type { HeldTree, HeldWorktrees } from "../writers/held-worktrees.ts";

interface FilesParts {
  readonly worktrees: Pick<Worktrees, "exportTree" | "importEdits">;
  readonly trees: Pick<HeldWorktrees, "at" | "received">;
  /** Receives what was left out of an agent's files, as a sentence; it may be the same again. */
  onNote(note: string): void;
}

/** An agent's files, to its runner and back: its worktree here has what was last sent or received. */
export function travellingFiles(
  actor: Actor,
  { worktrees, trees, onNote }: FilesParts,
): Pick<SessionSide, "sendFiles" | "takeEdits" | "hasNewFiles"> {
  /** The base of its worktree when its runner got its files: a merge that found conflicts gives it another one. */
  let base: string | null = null;
  const heldNow = (): HeldTree => {
    const { isolation } = actor.spec;
    const held = isolation && trees.at(isolation.path);
    if (!held) throw new Error("The agent has no worktree that could be sent to its runner.");
    return held;
  };
  return {
    sendFiles: (have) =>
      inTemporaryFolder("troupe-travel-", async (into) => {
        const { tree } = heldNow();
        const exported = await worktrees.exportTree({
          source: { type: "tree", tree },
          have: [...have],
          into,
        });
        if (exported.type === "refused") throw new Error(exported.reason);
        exported.notes.forEach(onNote);
        base = tree.base;
        const { repository, commit, bundle } = exported;
        return { repository, commit, bundle: bundle === null ? null : await readFile(bundle) };
      }),
    takeEdits: (commit, bytes) =>
      inTemporaryFolder("troupe-travel-", async (folder) => {
        const bundle = join(folder, "edits.bundle");
        await writeFile(bundle, bytes);
        const held = heldNow();
        // They are of the calls that run now, or of a command in the background.
        const command = [...actor.calls.values()].flatMap(({ input }) => commandIn(input)).join("\n");
        const taken = await worktrees.importEdits({ tree: held.tree, bundle, commit });
        if (taken.type === "refused") throw new Error(taken.reason);
        taken.notes.forEach(onNote);
        trees.received(held, { actor: actor.id, files: null, command: command || null }, taken.changed);
      }),
    hasNewFiles: () => base !== null && heldNow().tree.base !== base,
  };
}

function commandIn(input: unknown): string[] {
  const { command } = (input ?? {}) as { readonly command?: unknown };
  return typeof command === "string" ? [command] : [];
}
