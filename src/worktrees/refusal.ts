import type { GitEnvironment, Repository } from "./environment.ts";
import { gcHasEnded } from "./gc-guard.ts";
import type { GitAnswer } from "./git.ts";
import { lastLine, refused, repositoryAt } from "./repository.ts";
import type { Refused } from "./requests.ts";

/** It cannot be done, and nothing was changed; the message is a sentence for the user. An operation answers with it. */
export class Refusal extends Error {
  /** Git said no, as it does if a `git gc` took what no ref held yet: asked again it may say yes. */
  readonly byGit: boolean;

  constructor(reason: string, { byGit = false } = {}) {
    super(reason);
    this.byGit = byGit;
  }
}

export function refuse(reason: string): never {
  throw new Refusal(reason);
}

/** Throws; `what` as "The edits could not be read". */
export function refuseByGit(what: string): never {
  throw new Refusal(`${what}.`, { byGit: true });
}

/** What git printed. Throws if it failed; `what` as "The edits could not be read". */
export function outputOf({ code, out, err }: GitAnswer, what: string): string {
  return code === 0 ? out : refuseByGit(`${what} (git says: ${lastLine(err) || `exit code ${code}`})`);
}

/** Throws what is refused. */
export function granted<T>(answer: T | Refused): Exclude<T, Refused> {
  if (typeof answer === "object" && answer !== null && "type" in answer && answer.type === "refused")
    return refuse((answer as Refused).reason);
  return answer as Exclude<T, Refused>;
}

/** As `repositoryAt`; throws. */
export async function checkoutAt(folder: string, ground: GitEnvironment): Promise<Repository> {
  return granted(await repositoryAt(folder, ground));
}

/** The operation's answer: what it throws to refuse, too. */
export async function answered<T>(work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return refused(error.message);
    throw error;
  }
}

const TRIES = 3;

/** What git said no to is done again from its beginning, once no `git gc` runs any longer. */
export async function inSpiteOfGc<T>(
  common: string,
  ground: GitEnvironment,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refusal && error.byGit) || tries === TRIES) throw error;
      await gcHasEnded(common, ground);
    }
}

/** Whichever fails, the other one has ended, too. */
export async function bothEnded<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
