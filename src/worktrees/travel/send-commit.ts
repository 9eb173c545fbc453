import { mkdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { MAX_BUNDLE_BYTES } from "../../mailbox/runners.ts";
import type { GitEnvironment } from "../environment.ts";
import type { TravelRemote } from "../protocol.ts";
import { inBorrowing } from "./bare-repository.ts";
import { knownCommits, TRAVEL_REF, travelled } from "./bundle.ts";
import { pushCommit } from "./remote.ts";

export interface SentCommit {
  /** Null if the receiver has the commit already, or it is in the remote. */
  readonly bundle: string | null;
  readonly bytes: number;
  readonly isPushed: boolean;
}

export interface Travelling {
  readonly commit: string;
  /** Commits that the receiver has; unknown ones are ignored. */
  readonly have: readonly string[];
  /** One that both have. */
  readonly base?: string;
  /** Where the bundle is written. */
  readonly file: string;
  readonly remote?: TravelRemote | undefined;
  /** The environment in which git reaches the remote, if it is another one than the environment's own. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

const NOTHING: SentCommit = { bundle: null, bytes: 0, isPushed: false };

/**
 * Sends a commit and its history, without what the receiver has: as a bundle for the engine, or through the remote, if there
 * is one, and the bundle is too large or the receiver lacks the whole repository.
 */
export async function sendCommit(
  common: string,
  { commit, have, base, file, remote, env, signal }: Travelling,
  ground: GitEnvironment,
): Promise<SentCommit> {
  if (commit === base || have.includes(commit)) return NOTHING;
  await mkdir(dirname(file), { recursive: true });
  return inBorrowing(common, { like: commit, refs: { [TRAVEL_REF]: commit } }, ground, async (git, path) => {
    const known = [...(await knownCommits(git, have)), ...(base === undefined ? [] : [base])];
    const push = async (to: TravelRemote): Promise<SentCommit> => {
      await pushCommit(to, commit, { path, env: env ?? ground.env, signal });
      return { ...NOTHING, isPushed: true };
    };
    if (remote !== undefined && known.length === 0) return push(remote);
    const without = known.map((id) => `^${id}`);
    const made = await git.run(["bundle", "create", "-q", file, TRAVEL_REF, ...without]);
    if (/empty bundle/.test(made.err)) return NOTHING;
    if (made.code !== 0) await rm(file, { force: true });
    travelled(made, "The files could not be bundled", dirname(file));
    const { size } = await stat(file);
    if (remote === undefined || size <= MAX_BUNDLE_BYTES)
      return { bundle: file, bytes: size, isPushed: false };
    await rm(file, { force: true });
    return push(remote);
  });
}
