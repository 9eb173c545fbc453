import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod/mini";
import type { Tree } from "../../mailbox/worktree.ts";
import { rawChanges } from "../changes.ts";
import type { Ground, Repository } from "../ground.ts";
import { OUR_REFS } from "../layout.ts";
import { isRefused, lastLine, refused, repositoryAt } from "../repository.ts";
import type { DoneAnswer, Refused, SettleRequest } from "../requests.ts";
import { copyIndex, sideIndexFile } from "../side-index.ts";
import { addAll } from "../tree-add.ts";
import { withTreeLock } from "../tree-lock.ts";
import { gitOn, placeOf } from "../tree-place.ts";
import { readRecord } from "../tree-record.ts";
import { beginFrom, forgetSides } from "./begin-from.ts";
import { realDisk } from "./disk.ts";
import { exchange } from "./exchange.ts";
import { lstatOf, stateOf } from "./file-state.ts";
import { forgetShown, inTree, readShown, type Shown, writeIntoTree } from "./into-tree.ts";
import { madeBy } from "./made.ts";
import type { Exchange, Move } from "./moves.ts";
import { withIndex } from "./own-index.ts";
import { changesIn } from "./plan.ts";
import { stageFiles } from "./stage.ts";

/** The merged files stand in the agent's tree, for a command that checks them. Its own were snapshotted. */
export async function showMerged(
  repo: Repository,
  tree: Tree,
  snapshot: string,
  merged: string,
  ground: Ground,
): Promise<Refused | null> {
  return withTreeLock(repo.common, tree.name, ground, () =>
    writeIntoTree(repo, { tree, snapshot, to: merged }, ground),
  );
}

/** The tree is as its agent left it, whatever a check has done there. What was never changed stays untouched. */
export async function settleTree(
  { tree }: z.infer<typeof SettleRequest>,
  ground: Ground,
): Promise<z.infer<typeof DoneAnswer>> {
  const repo = await repositoryAt(tree.checkout, ground);
  if (isRefused(repo)) return repo;
  return (await settleLeftOver(repo, tree, ground)) ?? { type: "done" };
}

/** Null: it is settled. */
export async function settleLeftOver(repo: Repository, tree: Tree, ground: Ground): Promise<Refused | null> {
  if (readShown(repo.common, tree) === null) return null;
  return withTreeLock(repo.common, tree.name, ground, async () => {
    const shown = readShown(repo.common, tree);
    if (shown === null) return null;
    const { next } = shown;
    const record = next && (await readRecord(repo.common, tree.name));
    const failed =
      next && record?.tree.base === next.base
        ? await beginFrom(repo, next)
        : ((await ownBack(repo, tree, shown, ground)) ?? (await restBack(repo, tree, shown, ground)));
    if (failed === null) forgetShown(repo.common, tree, shown.exchange);
    if (next) await forgetSides(repo, tree);
    return failed;
  });
}

/** What was put aside comes back, the same files as before; also a second time, after a death. */
async function ownBack(
  repo: Repository,
  tree: Tree,
  { exchange: { bytes, moves, aside, made, emptied } }: Shown,
  ground: Ground,
): Promise<Refused | null> {
  const back = moves.flatMap(({ path, before }, number): Move[] => {
    const now = stateOf(join(tree.path, path));
    const own = join(bytes, aside, String(number));
    // It never went.
    if (before !== null && lstatOf(own) === null) return [];
    if (now === null && before === null) return [];
    return [{ path, before: now, after: before, incoming: before === null ? null : `${aside}/${number}` }];
  });
  const work = {
    ...{ root: tree.path, bytes, moves: sorted(back), made: [...emptied].reverse() },
    emptied: [...made].reverse().map(({ path }) => ({ path, mode: 0o755 })),
  };
  return carriedOut(repo, work, ground);
}

/** What else the check has made, changed or deleted: kept in a ref of ours, and as it was. */
async function restBack(repo: Repository, tree: Tree, shown: Shown, ground: Ground): Promise<Refused | null> {
  const there = inTree(repo, tree);
  if (there.type === "refused") return there;
  const now = await treeNow(there.repo, tree, ground);
  if (isRefused(now)) return now;
  const raw = await rawChanges(repo.git.run, now.root, shown.snapshot);
  if (raw === null) return refused(`What a check left in ${tree.path} could not be compared.`);
  const plan = changesIn(raw, new Set());
  if (plan.type === "refused") return plan;
  const { changes } = plan;
  if (changes.length === 0) return null;
  const kept = await repo.git.run([
    "commit-tree",
    now.root,
    "-p",
    shown.snapshot,
    "-m",
    `What a check left in ${tree.name}`,
  ]);
  await repo.git.run(["update-ref", `${OUR_REFS}checks/${tree.name}`, kept.out.trim()]);
  const { bytes } = shown.exchange;
  const stage = `rest-${ground.id()}`;
  const wanted = changes.flatMap(({ path, after }) => (after === null ? [] : [path]));
  const staged = await stageFiles(there.repo, shown.snapshot, wanted, join(bytes, stage), ground);
  if (staged !== null) return staged;
  const moves = changes.map(({ path, after }) => ({
    ...{ path, before: stateOf(join(tree.path, path)) },
    after: after === null ? null : stateOf(join(bytes, stage, path)),
    incoming: after === null ? null : `${stage}/${path}`,
  }));
  const real = moves.filter(({ before, after }) => before !== null || after !== null);
  return carriedOut(
    repo,
    { root: tree.path, bytes, moves: sorted(real), made: madeBy(tree.path, real), emptied: [] },
    ground,
  );
}

function sorted(moves: readonly Move[]): Move[] {
  const gone = moves.filter(({ after }) => after === null);
  return [...gone, ...moves.filter(({ after }) => after !== null)];
}

async function carriedOut(
  { common }: Repository,
  work: Omit<Exchange, "aside">,
  ground: Ground,
): Promise<Refused | null> {
  const aside = `back-${ground.id()}`;
  mkdirSync(join(work.bytes, aside), { recursive: true });
  const done = exchange({ ...work, aside }, realDisk);
  if (done.type === "done") return null;
  return refused(
    `${done.path} in ${work.root} could not be put back: ${done.why}. What was there is kept in ${common}; end what runs there, and try again.`,
  );
}

/** As a snapshot would find it. */
async function treeNow(repo: Repository, tree: Tree, ground: Ground): Promise<{ root: string } | Refused> {
  const place = placeOf(tree);
  if ("type" in place) return place;
  const git = gitOn(tree, place, ground);
  const linked = (await readRecord(repo.common, tree.name))?.linked ?? [];
  return withIndex(repo, ground, async (index) => {
    copyIndex(sideIndexFile(place, tree, "index"), index);
    const added = await addAll(git, index, tree, linked);
    if (added === null) return refused(`What a check left in ${tree.path} could not be read.`);
    const { code, out, err } = await git(["write-tree"], { index });
    return code === 0 ? { root: out.trim() } : refused(lastLine(err));
  });
}
