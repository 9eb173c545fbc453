import { hash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../environment.ts";
import type { Git, GitAnswer } from "../git.ts";
import { ourFolder } from "../layout.ts";
import { outputOf, refuseRequest } from "../refusal.ts";

/** The only ref of a bundle, which names the commit whose files travel. */
export const TRAVEL_REF = "refs/troupe/travel";
export const IS_COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Returns those of these commits that a repository has. */
export async function knownCommits(git: Git, ids: readonly string[]): Promise<string[]> {
  const asked = [...new Set(ids)].filter((id) => IS_COMMIT.test(id)).slice(0, 400);
  if (asked.length === 0) return [];
  const { code, out } = await git.run(["rev-list", "--no-walk", "--ignore-missing", ...asked]);
  return code === 0 ? out.split("\n").filter((id) => id !== "") : [];
}

/** Git's output; names a full disk, which a user can do something about. */
export function travelled(answer: GitAnswer, what: string, folder: string): string {
  refuseFullDisk(answer, what, folder);
  return outputOf(answer, what);
}

export function refuseFullDisk({ code, err }: GitAnswer, what: string, folder: string): void {
  if (code !== 0 && /No space left on device|Disk quota exceeded/.test(err))
    refuseRequest(`${what}: the disk of ${folder} is full (ENOSPC). Free some space, then try again.`);
}

/** More than the names of all commits that a bundle can build on. */
const HEADER_BYTES = 256 * 1024;
const PACK_HEADER_BYTES = 12;

/** The objects of a bundle, which have not been looked at. */
export interface BundledPack {
  readonly file: string;
  /** Where it begins in the file. */
  readonly from: number;
  /** How many there are, as it says itself. */
  readonly objects: number;
  readonly bytes: number;
  /** The commits that it builds on. */
  readonly needs: readonly string[];
}

/** Refuses a file that is not a bundle of exactly this commit under the one ref. */
export async function assertBundle(
  file: string,
  commit: string,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<BundledPack> {
  if (!IS_COMMIT.test(commit)) refuseRequest(`${JSON.stringify(commit)} is not the ID of a commit.`);
  const { head, bytes } = await readHeader(file, mostBytes);
  const text = head.toString("latin1");
  const end = text.indexOf("\n\n");
  const [signature = "", ...lines] = text.slice(0, Math.max(end, 0)).split("\n");
  if (!/^# v[23] git bundle$/.test(signature)) refuseRequest(`${file} is not a git bundle.`);
  const refs = lines.filter((line) => !/^[-@]/.test(line));
  if (lines.some((line) => line.startsWith("@filter"))) refuseRequest(`The bundle ${file} is not complete.`);
  const [ref, ...more] = refs;
  if (ref !== `${commit} ${TRAVEL_REF}` || more.length > 0)
    refuseRequest(
      `The bundle ${file} must have the commit ${commit} as ${TRAVEL_REF} and nothing else; it has ${refs.slice(0, 3).join(", ") || "no ref"}.`,
    );
  const from = end + 2;
  if (text.slice(from, from + 4) !== "PACK" || head.length < from + PACK_HEADER_BYTES)
    refuseRequest(`The bundle ${file} is damaged: it has no pack.`);
  const needs = lines.flatMap((line) => /^-(\w+)/.exec(line)?.[1] ?? []);
  return { file, from, objects: head.readUInt32BE(from + 8), bytes, needs };
}

/** Returns the objects of a pack that git has written. */
export function packAt(file: string): BundledPack {
  const head = Buffer.alloc(PACK_HEADER_BYTES);
  const opened = openSync(file, "r");
  try {
    readSync(opened, head);
    return { file, from: 0, objects: head.readUInt32BE(8), bytes: fstatSync(opened).size, needs: [] };
  } finally {
    closeSync(opened);
  }
}

async function readHeader(
  file: string,
  mostBytes: number,
): Promise<{ readonly head: Buffer; readonly bytes: number }> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: Error) => refuseRequest(`The bundle ${file} cannot be read: ${error.message}`),
  );
  try {
    const found = await handle.stat();
    if (!found.isFile()) refuseRequest(`${file} is not a git bundle.`);
    if (found.size > mostBytes)
      refuseRequest(`The bundle ${file} has ${found.size} bytes; up to ${mostBytes} are taken.`);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(HEADER_BYTES, found.size)));
    return { head: buffer.subarray(0, bytesRead), bytes: found.size };
  } finally {
    await handle.close();
  }
}

/** The line in the message of a commit of files that names the HEAD of their worktree. */
export function headTrailer(head: string): string {
  return `Head: ${head}`;
}

/**
 * Returns the HEAD for a worktree with the files of a commit: the one that it names, if it exists, or else itself. `known`:
 * what was found before, by commit.
 */
export async function findHead(git: Git, commit: string, known: Map<string, string>): Promise<string> {
  const before = known.get(commit);
  if (before !== undefined) return before;
  const format = "--format=%(trailers:key=Head,valueonly)";
  const shown = await git.run(["show", "-s", format, commit]);
  const named = outputOf(shown, `The commit ${commit} could not be read`).trim();
  const isNamed = /^[0-9a-f]{40,64}$/.test(named);
  const isThere = isNamed && (await git.run(["merge-base", "--is-ancestor", named, commit])).code === 0;
  const head = isThere ? named : commit;
  // The named one may arrive later.
  if (isThere || !isNamed) remember(known, commit, head);
  return head;
}

const MAX_KNOWN = 1_000;

function remember(known: Map<string, string>, commit: string, head: string): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(commit, head);
}

/**
 * Returns the name of a repository on every machine: a digest of its root commits. It is kept, because finding them
 * reads the whole history.
 */
export async function repositoryId(repo: Repository): Promise<string> {
  if (repo.head === null || isShallow(repo)) return digest(`without history ${repo.common}`);
  const file = join(ourFolder(repo.common), "repository-id");
  const kept = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (IS_ID.test(kept)) return kept;
  const roots = await repo.git.run(["rev-list", "--max-parents=0", repo.head]);
  const found = outputOf(roots, `The history of ${repo.top} could not be read`).trim().split("\n").sort();
  const id = digest(found.join("\n"));
  mkdirSync(ourFolder(repo.common), { recursive: true });
  writeFileSync(file, id);
  return id;
}

export const IS_ID = /^[0-9a-f]{40}$/;

function digest(text: string): string {
  return hash("sha256", text).slice(0, 40);
}

/** A clone without its whole history: commits of it cannot travel, only files. */
export function isShallow({ common }: Repository): boolean {
  return existsSync(join(common, "shallow"));
}
