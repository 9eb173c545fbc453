import { lstatSync } from "node:fs";
import type { Repository } from "./environment.ts";
import { OUR_REFS } from "./layout.ts";
import { outputOf, refuseRequest } from "./refusal.ts";
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
