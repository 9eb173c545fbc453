import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Worktree } from "../../mailbox/worktree.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { notRun } from "../../tools/dispatch.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";
import { FileWriters, type OverlapRule } from "./file-writers.ts";
import { fileLocator, type HeldWorktrees } from "./held-worktrees.ts";
import { type ChangedLines, compareLines } from "./overlaps.ts";

export interface WritersParts {
  readonly clock: Clock;
  readonly rule: OverlapRule;
  /** The session's directory. */
  readonly cwd: string;
  readonly actors: Actors;
  readonly worktrees: Pick<Worktrees, "changedLines">;
  readonly trees: HeldWorktrees;
}

/**
 * Who may write a file: one call at a time, and what the overlap rule says of several agents. Joints: `prepareCall` (waits
 * for its turn), `afterCall` (what was written; in a worktree its snapshot says that), `onEvent`.
 */
export function writersFeature({ clock, rule, cwd, actors, worktrees, trees }: WritersParts): Joints {
  const locate = fileLocator(cwd, trees);
  /** By actor and path, since it last wrote there: many agents may write to one file. */
  const known = new Map<ActorId, Map<string, Promise<ChangedLines>>>();
  const linesOf = (actor: ActorId, path: string): Promise<ChangedLines> => {
    const tree = trees.at(actors.find(actor)?.rootHere ?? "")?.tree;
    if (!tree) return Promise.reject(new Error("It has no worktree."));
    const ofActor = known.get(actor) ?? new Map<string, Promise<ChangedLines>>();
    known.set(actor, ofActor);
    // A rebase gives the worktree another base.
    const key = `${tree.base} ${path}`;
    const lines = ofActor.get(key) ?? askLines(worktrees, tree, path);
    ofActor.set(key, lines);
    return lines;
  };
  const writers = new FileWriters({
    ...{ clock, rule },
    describe: (id) => actors.find(id)?.title ?? "an agent",
    tell: (id, notice) => actors.notify(id, notice),
    sameLines: async (one, other, path) =>
      compareLines(...(await Promise.all([linesOf(one, path), linesOf(other, path)]))),
    changed: (id) => actors.showRemarks(id, { overlap: writers.phrase(id) }),
    awaits: (id) => awaitedBy(id, actors),
  });
  trees.onChanged((actor, tree, changed) => {
    known.delete(actor);
    const files = changed.map(({ path }) => locate(join(tree.path, path)));
    writers.wrote(actor, files);
  });
  return {
    async prepareCall({ actor: { id: actor, spec }, id: call, accesses, signal }) {
      const targets = accesses.flatMap(({ kind, target }) => (kind === "write" ? [target] : []));
      if (targets.length === 0) return {};
      const files = targets.map((file) => ({ ...locate(file), file }));
      const claim = await writers.claim({ actor, call, description: spec.description }, files, signal);
      if (claim === null) return { refusal: String(notRun.content) };
      return claim.type === "go" ? { lastWriters: claim.lastWriters } : { refusal: claim.reason };
    },
    afterCall({ actor, id, running: { writes }, isError }) {
      // A failed call may have written, too; an ended actor has released its files.
      if (writes !== null && trees.at(actor.rootHere) === null && !actor.hasEnded)
        writers.wrote(actor.id, writes.map(locate));
      writers.release(id, actor.id, !isError);
      return {};
    },
    onEvent(event) {
      if (event.type === "released") {
        known.delete(event.id);
        writers.ended(event.id);
      }
      // An actor that waits for its own agents lends them what it has written.
      if (event.type === "changed" && event.actor.lifecycle.state === "waiting") writers.reconsider();
    },
  };
}

async function askLines(
  worktrees: Pick<Worktrees, "changedLines">,
  tree: Worktree,
  path: string,
): Promise<ChangedLines> {
  const answer = await worktrees.changedLines({ tree, path });
  if (answer.type === "refused") throw new Error(answer.reason);
  return answer;
}

function awaitedBy(id: ActorId, actors: Pick<Actors, "find" | "all">): ActorId[] {
  const actor = actors.find(id);
  const isIdle = actor?.lifecycle.state === "waiting" && actor.keptBy !== null;
  return actors
    .all()
    .filter(({ runFor, hasEnded }) => runFor.owner === id && !hasEnded && (isIdle || !runFor.background))
    .map((other) => other.id);
}
