import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { isMissing } from "../../lib/errors.ts";
import { Tree } from "../../mailbox/worktree.ts";
import { rawChanges } from "../changes.ts";
import type { Ground, Repository } from "../ground.ts";
import { treeRecordFolder, treesFolder } from "../layout.ts";
import { refused } from "../repository.ts";
import type { Refused } from "../requests.ts";
import { placeOf } from "../tree-place.ts";
import { realDisk } from "./disk.ts";
import { exchange } from "./exchange.ts";
import { lstatOf } from "./file-state.ts";
import { madeBy } from "./made.ts";
import { Exchange } from "./moves.ts";
import { changesIn } from "./plan.ts";
import { prove } from "./proof.ts";
import { stageFiles } from "./stage.ts";

/**
 * An agent's tree has other files in it than its own for a while; how it gets them back. `next`: they become its own, as soon
 * as its record says so.
 */
export const Shown = z.object({ snapshot: z.string(), exchange: Exchange, next: z.optional(Tree) });
export type Shown = z.infer<typeof Shown>;

/** The agent's own are put aside, byte for byte; `putBack` of settling brings them. `snapshot`: what is there. */
export async function writeIntoTree(
  repo: Repository,
  { tree, snapshot, to, next }: { tree: Tree; snapshot: string; to: string; next?: Tree },
  ground: Ground,
): Promise<Refused | null> {
  const there = inTree(repo, tree);
  if (there.type === "refused") return there;
  const raw = await rawChanges(repo.git.run, snapshot, to);
  if (raw === null) return refused("What was merged could not be compared with the agent's files.");
  const plan = changesIn(raw, new Set());
  if (plan.type === "refused") return plan;
  const { changes } = plan;
  const bytes = shownBytes(repo, tree, ground);
  mkdirSync(join(bytes, "aside"), { recursive: true });
  const wanted = changes.flatMap(({ path, after }) => (after === null ? [] : [path]));
  const staged = await stageFiles(repo, to, wanted, join(bytes, "stage"), ground);
  const proven = staged ?? (await prove(there.repo, changes, bytes, "stage"));
  if (proven.type !== "proven") {
    rmSync(bytes, { recursive: true, force: true });
    if (proven.type === "refused") return proven;
    return refused(`${proven.path} in ${tree.path} is being written to; end what runs there first.`);
  }
  const moves = [...proven.moves];
  const made = madeBy(tree.path, moves);
  const emptied = [...new Set(moves.flatMap(({ path, after }) => (after === null ? [path] : [])))];
  const folders = goneWith(
    tree.path,
    emptied,
    moves.flatMap(({ path, after }) => (after === null ? [] : [path])),
  );
  const work: Exchange = { root: tree.path, bytes, aside: "aside", moves, made, emptied: folders };
  const shown: Shown = { snapshot, exchange: work, ...(next === undefined ? {} : { next }) };
  realDisk.write(shownFile(repo.common, tree), JSON.stringify(shown));
  const done = exchange(work, realDisk);
  if (done.type === "done") return null;
  forgetShown(repo.common, tree, work);
  return refused(`${done.path} in ${tree.path} could not be written: ${done.why}.`);
}

function goneWith(top: string, gone: readonly string[], stays: readonly string[]) {
  const up = (path: string) =>
    path
      .split("/")
      .slice(0, -1)
      .map((_, at, all) => all.slice(0, at + 1).join("/"));
  const kept = new Set(stays.flatMap(up));
  return [...new Set(gone.flatMap(up))]
    .filter((folder) => !kept.has(folder))
    .sort((one, other) => other.split("/").length - one.split("/").length)
    .map((path) => ({ path, mode: Number((lstatOf(join(top, path))?.mode ?? 0o755n) & 0o7777n) }));
}

/** The tree as a checkout, by git that does not ask its `.git`. */
export function inTree(repo: Repository, tree: Tree): { type: "there"; repo: Repository } | Refused {
  const place = placeOf(tree);
  if ("type" in place) return place;
  const { gitDir } = place;
  const plain = repo.git.at(tree.path);
  const git = {
    ...plain,
    run: (args: readonly string[], options = {}) => plain.run(args, { ...options, gitDir }),
  };
  return { type: "there", repo: { ...repo, top: tree.path, gitDir, git } };
}

export function readShown(common: string, tree: Tree): Shown | null {
  try {
    const read = z.safeParse(Shown, JSON.parse(readFileSync(shownFile(common, tree), "utf8")));
    return read.success ? read.data : null;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What is there from now on is the tree's own. */
export function forgetShown(common: string, tree: Tree, { bytes }: Exchange): void {
  rmSync(shownFile(common, tree), { force: true });
  rmSync(bytes, { recursive: true, force: true });
}

function shownFile(common: string, { name }: Tree): string {
  return join(treeRecordFolder(common, name), "shown.json");
}

function shownBytes({ common }: Repository, tree: Tree, ground: Ground): string {
  const folder = treeRecordFolder(common, tree.name);
  mkdirSync(folder, { recursive: true });
  const isNear = statSync(folder).dev === statSync(tree.path).dev;
  return join(isNear ? folder : treesFolder(tree.checkout), `.shown-${tree.name}-${ground.id()}`);
}
