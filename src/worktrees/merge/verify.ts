import { join } from "node:path";
import type { Repository } from "../environment.ts";
import { outputOf } from "../refusal.ts";
import { chunks } from "../side-index.ts";
import {
  type FileMove,
  type FileState,
  type FileWithBlob,
  isUntouched,
  lstatOf,
  readFileState,
  stateOf,
} from "./file-state.ts";
import type { PlannedChange } from "./plan.ts";

/** `changed`: this file was written to since it was read. */
export type Proven =
  | { readonly type: "proven"; readonly moves: readonly FileMove[] }
  | { readonly type: "changed"; readonly path: string };

/**
 * Verifies that what is on disk is what was merged: through its filters it gives what git has. Only verified bytes are
 * ever moved. `stage`: the directory of the new files, in `bytes`.
 */
export async function verifyFiles(
  repo: Repository,
  changes: readonly PlannedChange[],
  bytes: string,
  stage: string,
): Promise<Proven> {
  const changed: string[] = [];
  const doubted: { change: PlannedChange; seen: FileWithBlob }[] = [];
  const states = new Map<string, FileState | null>();
  for (const change of changes) {
    const { path, before } = change;
    // New files and what is in their way were checked before; a link fails on a taken name.
    const seen =
      before === null
        ? null
        : readFileState(join(repo.top, path), before.id.length === 40 ? "sha1" : "sha256");
    states.set(path, seen?.state ?? null);
    if (before === null) continue;
    if (seen === null || !isKind(before.mode, seen.state)) changed.push(path);
    else if (seen.blob !== before.id) doubted.push({ change, seen });
  }
  const filtered = await throughFilters(repo, doubted);
  const rights = await otherRights(repo, changes, states);
  const [path] = [...changed, ...filtered, ...rights];
  if (path !== undefined) return { type: "changed", path };
  const moves = changes.map(({ path, after }) => ({
    path,
    before: states.get(path) ?? null,
    after: after === null ? null : stateOf(join(bytes, stage, path)),
    incoming: after === null ? null : `${stage}/${path}`,
  }));
  return { type: "proven", moves };
}

/** On a disk without links, git writes a file with the link's target. */
function isKind(mode: string, { kind }: FileState): boolean {
  return mode === "120000" ? kind !== "other" : kind === "file";
}

/** Returns those that differ from git's content. */
async function throughFilters(
  repo: Repository,
  doubted: readonly { change: PlannedChange; seen: FileWithBlob }[],
): Promise<string[]> {
  const isLink = ({ seen }: { seen: FileWithBlob }) => seen.state.kind === "link";
  const paths = doubted.filter(isLink).map(({ change }) => change.path);
  for (const some of chunks(
    doubted.filter((one) => !isLink(one)),
    200,
  )) {
    const args = ["hash-object", "--", ...some.map(({ change }) => change.path)];
    const answer = await repo.git.run(args);
    // A file deleted since is an answer too.
    const gone = some.filter(({ change }) => lstatOf(join(repo.top, change.path)) === null);
    if (gone.length === 0) outputOf(answer, `What is in ${repo.top} could not be compared`);
    const ids = answer.out.split("\n");
    for (const [at, { change, seen }] of some.entries()) {
      const now = stateOf(join(repo.top, change.path));
      if (answer.code !== 0 || ids[at] !== change.before?.id || !isUntouched(now, seen.state))
        paths.push(change.path);
    }
  }
  return paths;
}

/** A file whose executable bit was set or cleared since has changed, if the disk can tell. */
async function otherRights(
  repo: Repository,
  changes: readonly PlannedChange[],
  states: ReadonlyMap<string, FileState | null>,
): Promise<string[]> {
  const found = changes.filter(({ path, before }) => {
    const state = states.get(path);
    if (!before || state?.kind !== "file" || !before.mode.startsWith("100")) return false;
    return (before.mode === "100755") !== ((state.mode & 0o100) !== 0);
  });
  if (found.length === 0) return [];
  const { out } = await repo.git.run(["config", "--type=bool", "--default=true", "core.fileMode"]);
  return out.trim() === "false" ? [] : found.map(({ path }) => path);
}
