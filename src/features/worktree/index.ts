import { realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Location, Worktree } from "../../mailbox/worktree.ts";
import type { Actors } from "../../supervisor/actors.ts";
import {
  type EnteredWorktree,
  type LeftWorktree,
  treeNameFor,
  type WorktreeRefused,
  type WorktreeRequest,
  type WorktreeService,
} from "../../tools/worktree.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";
import { treesFolder } from "../../worktrees/layout.ts";
import type { Owner, SuccessOf } from "../../worktrees/protocol.ts";
import type { WorktreeSettings } from "../isolation/worktree-settings.ts";

export interface WorktreeServiceParts {
  readonly worktrees: Pick<Worktrees, "inspect" | "create" | "list" | "snapshot" | "diff" | "remove">;
  readonly settings: Pick<WorktreeSettings, "baseRef" | "dependencies">;
  /** Returns where the actor works now. */
  where(actor: ActorId): Location;
  /** Returns the directory that the actor started in and returns to. */
  home(actor: ActorId): string;
  /** Moves the actor from its next call on; edits in `tree` are saved from then on. */
  move(actor: ActorId, to: Location): void;
  ownerOf(actor: ActorId): Owner;
  /** Returns a name for an unnamed worktree. */
  newName(): string;
  /** Directories of the session: a model may not enter worktrees outside them by itself. */
  readonly workspace: readonly string[];
  /** Returns why git must not run with this directory's own settings, or null. */
  foreignGit(folder: string): string | null;
}

/** Returns where an actor works, or where it will: in the session's own directory. */
export function whereIs(actors: Pick<Actors, "find">, id: ActorId, cwd: string): Location {
  const actor = actors.find(id);
  if (!actor) return { root: cwd, cwd, tree: null };
  return { root: actor.root, cwd: actor.cwd, tree: actor.place?.tree ?? null };
}

/**
 * EnterWorktree and ExitWorktree (A16.1 to A16.3). The actor stores where it works, so that a
 * resumed session knows it. Uses no joint: its tools call it.
 */
export function worktreeService(parts: WorktreeServiceParts): WorktreeService {
  const { worktrees, settings } = parts;
  /** Where each was when it entered; in a resumed session, its home. */
  const before = new Map<ActorId, Location>();
  return {
    async enter(wish, { actor, cwd, signal }) {
      if (actor !== MAIN) return refused(NOT_AN_AGENTS);
      const here = parts.where(actor);
      if (here.root !== parts.home(actor))
        return refused(
          `You are in the worktree at ${here.root} already, and only in one at a time. Call ExitWorktree first.`,
        );
      const foreign = parts.foreignGit(here.root);
      if (foreign !== null)
        return refused(
          `No worktree is entered here: ${foreign}, and the user has not agreed to that. Continue in the checkout, or ask the user to trust this directory.`,
        );
      const found = await worktrees.inspect({ folder: here.root });
      if (found.type === "refused") return found;
      const entered =
        wish.type === "new" ? await made(wish, here, signal) : await there(wish.path, found, cwd);
      if (entered.type === "refused") return entered;
      signal.throwIfAborted();
      before.set(actor, here);
      const root = await sameFolderIn(entered.path, found.top, here.root);
      parts.move(actor, { root, cwd: root, tree: entered.tree });
      const { path, branch, isNew, notes } = entered;
      return { type: "entered", path, branch, cwd: root, isNew, notes } satisfies EnteredWorktree;
    },
    async exit(action, discard, { actor, signal }) {
      if (actor !== MAIN) return refused(NOT_AN_AGENTS);
      const here = parts.where(actor);
      const home = parts.home(actor);
      if (here.root === home) return refused("You are in no worktree, so there is nothing to leave. Go on.");
      const removed = action === "keep" ? null : await remove(actor, here, discard);
      if (removed !== null && typeof removed !== "string") return removed;
      if (action === "keep") signal.throwIfAborted();
      const back = before.get(actor) ?? { root: home, cwd: home, tree: null };
      before.delete(actor);
      parts.move(actor, back);
      const { path = here.root, branch = null } = here.tree ?? {};
      return { type: "left", cwd: back.cwd, branch, path, removed };
    },
  };

  async function made(
    wish: Extract<WorktreeRequest, { type: "new" }>,
    { root }: Location,
    signal: AbortSignal,
  ): Promise<Found | WorktreeRefused> {
    const { baseRef, dependencies } = settings;
    const name = wish.name === null ? parts.newName() : treeNameFor(wish.name);
    const answer = await worktrees.create(
      {
        ...{ folder: root, name, owner: parts.ownerOf(MAIN), baseRef },
        dependencies: Object.entries(dependencies).map(([folder, how]) => ({ folder, how })),
      },
      signal,
    );
    if (answer.type === "refused") return answer;
    const { tree, notes } = answer;
    return {
      type: "found",
      path: tree.path,
      branch: tree.branch,
      tree,
      isNew: true,
      notes,
    };
  }

  /** Takes it as it is: it may not be Troupe's, and then has no tree. */
  async function there(
    wanted: string,
    found: SuccessOf<"inspect">,
    cwd: string,
  ): Promise<Found | WorktreeRefused> {
    const path = await realpath(resolve(cwd, wanted)).catch(() => resolve(cwd, wanted));
    const listed = found.trees.find((tree) => tree.path === path);
    const others = found.trees.filter((tree) => tree.path !== found.top).map((tree) => tree.path);
    if (listed === undefined) {
      const known = others.length === 0 ? "There is only the checkout." : `There are: ${others.join(", ")}.`;
      return refused(`${path} is no worktree of this repository, as git worktree list has it. ${known}`);
    }
    const mayEnter = [treesFolder(found.top), ...parts.workspace].some((folder) => isBelow(path, folder));
    if (!mayEnter)
      return refused(
        `${path} is outside the directories of this session. Ask the user to add it (--add-dir), or make a new worktree by its name.`,
      );
    if (path === found.top)
      return refused(`${path} is the checkout you are in. Go on, or enter another one.`);
    const tree = await ourTree(path, found);
    return { type: "found", path, branch: listed.branch, tree, isNew: false, notes: [] };
  }

  async function ourTree(path: string, { top, head }: SuccessOf<"inspect">): Promise<Worktree | null> {
    const list = await worktrees.list({ folder: top });
    if (list.type === "refused") return null;
    const ours = list.trees.find((tree) => tree.path === path);
    if (!ours || ours.branch === null || ours.base === null) return null;
    const { name, branch, base } = ours;
    return { name, path, branch, checkout: top, base, head };
  }

  /** Resolves with its name if it was removed. */
  async function remove(
    actor: ActorId,
    { root, tree }: Location,
    discard: boolean,
  ): Promise<string | Exclude<LeftWorktree, { type: "left" }>> {
    const isOwn = tree !== null && (await ownedBy(actor, tree));
    if (tree === null || !isOwn)
      return refused(
        `The worktree ${tree?.path ?? root} was not made by this conversation, so it is not removed. Call ExitWorktree with action keep.`,
      );
    // All of it is in Troupe's own ref before anything is removed, whatever else is wanted.
    const saved = await worktrees.snapshot({ tree, files: null });
    if (saved.type === "refused") return saved;
    if (!discard) {
      const edits = await worktrees.diff({ folder: tree.checkout, name: tree.name });
      if (edits.type === "refused") return edits;
      if (edits.counts.files > 0) return { type: "unsaved", files: filesIn(edits.text) };
    }
    const gone = await worktrees.remove({ tree });
    return gone.type === "refused" ? gone : tree.name;
  }

  async function ownedBy(actor: ActorId, { checkout, name }: Worktree): Promise<boolean> {
    const list = await worktrees.list({ folder: checkout, name });
    if (list.type === "refused") return false;
    const owner = list.trees[0]?.owner;
    return owner?.actor === actor && owner.session === parts.ownerOf(actor).session;
  }
}

interface Found {
  readonly type: "found";
  readonly path: string;
  readonly branch: string | null;
  /** Null if it is not Troupe's. */
  readonly tree: Worktree | null;
  readonly isNew: boolean;
  readonly notes: readonly string[];
}

const NOT_AN_AGENTS =
  "Only the main conversation enters and leaves worktrees. An agent gets one of its own from the agent that starts it.";

/** Returns the same subdirectory in the worktree if it exists there. */
async function sameFolderIn(path: string, top: string, root: string): Promise<string> {
  const folder = join(path, relative(top, root));
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere ? folder : path;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Returns the names in a diff, for the user; after a rename the new one. */
function filesIn(diff: string): string[] {
  const heads = diff.matchAll(/^diff --git (.+)$/gm);
  return [...heads].map(([, names = ""]) => {
    const same = names.slice((names.length + 1) / 2);
    const isSame = names.startsWith(`a/${same.slice(2)} b/`);
    return isSame ? same.slice(2) : names.slice(names.lastIndexOf(" b/") + 3);
  });
}

function refused(reason: string): WorktreeRefused {
  return { type: "refused", reason };
}
