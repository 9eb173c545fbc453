import type { GitEnvironment } from "./environment.ts";
import { gcHasEnded } from "./gc-guard.ts";
import type { GitAnswer } from "./git.ts";
import type { RefusedRequest } from "./protocol.ts";

/**
 * An operation that is impossible and changed nothing; the message is a sentence for the user, and the operation's
 * response.
 */
export class GitRefusal extends Error {
  /** True if git refused, as after a `git gc` dropped what no ref held yet: a retry may succeed. */
  readonly byGit: boolean;

  constructor(reason: string, { byGit = false } = {}) {
    super(reason);
    this.byGit = byGit;
  }
}

/** The remote (`troupe.runners.remote`) cannot be reached, refuses, or has something else. */
export class RemoteRefusal extends GitRefusal {}

export function refuseRequest(reason: string): never {
  throw new GitRefusal(reason);
}

/** Throws a refusal; `what` as in "The edits could not be read". */
export function refuseByGit(what: string): never {
  throw new GitRefusal(`${what}.`, { byGit: true });
}

/** Returns git's output. Throws if git failed; `what` as in "The edits could not be read". */
export function outputOf({ code, out, err }: GitAnswer, what: string): string {
  return code === 0 ? out : refuseByGit(`${what} (git says: ${lastLine(err) || `exit code ${code}`})`);
}

/** Returns git's last line, its error; hints come before it. */
export function lastLine(text: string): string {
  const fatal = text.split("\n").findLast((line) => /^(?:fatal|error): /.test(line));
  return (fatal ?? text.split("\n").at(-1) ?? "").replace(/^(?:fatal|error): /, "").trim();
}

/** Returns the operation's response, also for a thrown refusal. */
export async function answered<T>(work: () => Promise<T>): Promise<T | RefusedRequest> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GitRefusal) return { type: "refused", reason: error.message };
    throw error;
  }
}

const TRIES = 3;

/** Retries from the start what git refused, once no `git gc` is running. */
export async function retryAfterGc<T>(
  common: string,
  ground: GitEnvironment,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GitRefusal && error.byGit) || tries === TRIES) throw error;
      await gcHasEnded(common, ground);
    }
}

/** Waits until both have ended, even if one fails. */
export async function bothEnded<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
