import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Clock } from "../../mailbox/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";
import type { HeldWorktrees } from "../isolation/held-worktrees.ts";
import type { OverlapRule } from "../isolation/worktree-settings.ts";
import { Overlaps } from "./overlaps.ts";
import type { RepoFile } from "./repo-file.ts";

export interface RadarParts {
  readonly clock: Clock;
  readonly rule: OverlapRule;
  /** The session's directory. */
  readonly cwd: string;
  readonly actors: Actors;
  readonly worktrees: Pick<Worktrees, "overlap">;
  readonly trees: HeldWorktrees;
}

/** The overlap radar of a session, fed with the files that its actors write, wherever they work. */
export interface Radar extends Pick<Overlaps, "released" | "reconsider"> {
  /** Called before a call writes: see `Overlaps.claim`. Files are absolute. */
  claim(actor: ActorId, files: readonly string[], signal: AbortSignal): ReturnType<Overlaps["claim"]>;
  /** Called after a call has written. */
  wrote(actor: ActorId, files: readonly string[]): void;
}

export function sessionRadar({ clock, rule, cwd, actors, worktrees, trees }: RadarParts): Radar {
  let top: string | null = null;

  /**
   * Edits are merged into a worktree's checkout, which may be a worktree itself: files are compared in the last one.
   */
  const repositoryOf = (checkout: string): string => {
    const outer = trees.at(checkout);
    return outer === null ? checkout : repositoryOf(outer.tree.checkout);
  };
  const fileOf = (file: string): RepoFile => {
    const held = trees.at(dirname(file));
    if (held) return { repository: repositoryOf(held.tree.checkout), path: below(held.tree.path, file) };
    top ??= topOf(cwd);
    return file.startsWith(top + sep)
      ? { repository: top, path: below(top, file) }
      : { repository: "", path: file };
  };
  const overlaps = new Overlaps({
    clock,
    mode: () => rule,
    describe: (id) => descriptionOf(actors.find(id)),
    tell: (id, notice) => actors.notify(id, notice),
    sameLines: async (one, other, path) => {
      const [first, second] = [actors.find(one), actors.find(other)];
      const pair = [first && trees.at(first.root), second && trees.at(second.root)] as const;
      if (!pair[0] || !pair[1]) return "unknown";
      const answer = await worktrees.overlap({ one: pair[0].tree, other: pair[1].tree, path });
      return answer.type === "refused" ? "unknown" : answer.lines;
    },
    changed: (id) => actors.showRemarks(id, { overlap: overlaps.words(id) }),
    awaits: (id) => awaitedBy(id, actors),
  });
  trees.onChanged((actor, tree, changed) => {
    const files = changed.map(({ path }) => fileOf(join(tree.path, path)));
    overlaps.wrote(actor, files);
  });
  return {
    claim: (actor, files, signal) => overlaps.claim(actor, files.map(fileOf), signal),
    wrote: (actor, files) => overlaps.wrote(actor, files.map(fileOf)),
    released: (actor) => overlaps.released(actor),
    reconsider: () => overlaps.reconsider(),
  };
}

/** Returns the actors whose end it waits for: foreground agents, and also background ones once it has answered. */
function awaitedBy(id: ActorId, actors: Pick<Actors, "find" | "all">): ActorId[] {
  const actor = actors.find(id);
  const isIdle = actor?.lifecycle.state === "waiting" && actor.keptBy !== null;
  return actors
    .all()
    .filter(({ runFor, hasEnded }) => runFor.owner === id && !hasEnded && (isIdle || !runFor.background))
    .map((other) => other.id);
}

function descriptionOf(actor: Actor | undefined): string {
  return actor?.title ?? "an agent";
}

/** Returns the nearest directory above that git would take for the top of a checkout; else the directory itself. */
function topOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}

function below(top: string, file: string): string {
  return relative(top, file).split(sep).join("/");
}
