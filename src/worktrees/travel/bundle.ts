import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Git, GitAnswer } from "../git.ts";
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
  if (answer.code !== 0 && /No space left on device|Disk quota exceeded/.test(answer.err))
    refuseRequest(`${what}: the disk of ${folder} is full (ENOSPC). Free some space, then try again.`);
  return outputOf(answer, what);
}

/** More than the names of all commits that a bundle can build on. */
const HEADER_BYTES = 256 * 1024;

/**
 * Refuses a file that is not a bundle of exactly this commit under the one ref. The objects in it are not looked at.
 */
export async function assertBundle(
  file: string,
  commit: string,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<void> {
  if (!IS_COMMIT.test(commit)) refuseRequest(`${JSON.stringify(commit)} is not the ID of a commit.`);
  const text = await readHeader(file, mostBytes);
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
}

async function readHeader(file: string, mostBytes: number): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: Error) => refuseRequest(`The bundle ${file} cannot be read: ${error.message}`),
  );
  try {
    const found = await handle.stat();
    if (!found.isFile()) refuseRequest(`${file} is not a git bundle.`);
    if (found.size > mostBytes)
      refuseRequest(`The bundle ${file} has ${found.size} bytes; up to ${mostBytes} are taken.`);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(HEADER_BYTES, found.size)));
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
