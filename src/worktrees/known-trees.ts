import { lstatSync } from "node:fs";
import type { GitEnvironment, Repository } from "./environment.ts";
import { OUR_REFS } from "./layout.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { outputOf, refuseRequest } from "./refusal.ts";
import { repositoryAt } from "./repository.ts";
import { readRecord, recordedNames, type TreeRecord } from "./tree-record.ts";

/** What exists of a worktree: a record, refs, or both. */
export interface KnownTree {
  readonly name: string;
  readonly record: TreeRecord | null;
  readonly base: string | null;
  readonly snapshot: string | null;
  readonly ignored: string | null;
  /** Time of its newest commit, in milliseconds since 1970. */
  readonly at: number;
  /** True if its path exists. */
  readonly stands: boolean;
}

const CHAINS = { bases: "base", trees: "snapshot", ignored: "ignored" } as const;

/** Returns the worktrees by name. */
export async function knownTrees(repo: Repository): Promise<KnownTree[]> {
  const folders = Object.keys(CHAINS).map((chain) => `${OUR_REFS}${chain}`);
  const format = "--format=%(refname) %(objectname) %(committerdate:unix)";
  const listed = await repo.git.run(["for-each-ref", format, ...folders]);
  const out = outputOf(listed, `The refs of ${repo.top} could not be read`);
  const refs = new Map<string, Partial<Record<"base" | "snapshot" | "ignored", string>> & { at: number }>();
  for (const line of out.split("\n").filter((some) => some !== "")) {
    const [ref = "", id = "", at = "0"] = line.split(" ");
    const [, folder = "", name = ""] = /^refs\/troupe\/([^/]+)\/(.+)$/.exec(ref) ?? [];
    const found = refs.get(name) ?? { at: 0 };
    if (isChain(folder))
      refs.set(name, { ...found, [CHAINS[folder]]: id, at: Math.max(found.at, Number(at) * 1000) });
  }
  const names = [...new Set([...refs.keys(), ...(await recordedNames(repo.common))])].sort();
  return Promise.all(
    names.map(async (name) => {
      const { base = null, snapshot = null, ignored = null, at = 0 } = refs.get(name) ?? {};
      const record = await readRecord(repo.common, name);
      const stands = record !== null && lstatSync(record.tree.path, { throwIfNoEntry: false }) !== undefined;
      return { name, record, base: base ?? record?.tree.base ?? null, snapshot, ignored, at, stands };
    }),
  );
}

function isChain(folder: string): folder is keyof typeof CHAINS {
  return Object.hasOwn(CHAINS, folder);
}

export async function knownTree(repo: Repository, name: string): Promise<KnownTree> {
  const found = (await knownTrees(repo)).find((tree) => tree.name === name);
  return found ?? refuseRequest(`There is no worktree ${name} in ${repo.top}, and never was one with edits.`);
}

export interface ListedTree {
  readonly path: string;
  /** The full name of a ref; null if HEAD is detached. */
  readonly branch: string | null;
  readonly locked: boolean;
}

/** Returns every worktree that git knows, the first one first, even if its directory is gone. */
export async function listedTrees(repo: Repository): Promise<ListedTree[]> {
  const listed = await repo.git.run(["worktree", "list", "--porcelain", "-z"]);
  return outputOf(listed, `The worktrees of ${repo.top} could not be listed`)
    .split("\0\0")
    .map((entry) => entry.split("\0").filter((line) => line !== ""))
    .filter((lines) => lines.length > 0)
    .map((lines) => ({
      path: after("worktree ", lines) ?? "",
      branch: after("branch ", lines),
      locked: lines.some((line) => line === "locked" || line.startsWith("locked ")),
    }));
}

function after(start: string, lines: readonly string[]): string | null {
  return lines.find((line) => line.startsWith(start))?.slice(start.length) ?? null;
}

/** Describes a directory to git, with every worktree of its repository. Reads only. */
export async function inspect(
  { folder, trees: asked }: GitRequest<"inspect">,
  ground: GitEnvironment,
): Promise<SuccessOf<"inspect">> {
  const repo = await repositoryAt(folder, ground);
  const trees = (asked === false ? [] : await listedTrees(repo)).map((tree) => ({
    path: tree.path,
    branch: tree.branch?.replace(/^refs\/heads\//, "") ?? null,
  }));
  const { top, common, head, branch } = repo;
  return { type: "repository", top, common, head, branch, trees };
}
