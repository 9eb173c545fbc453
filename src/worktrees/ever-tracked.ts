import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { trackedMatcher } from "../policy/engine/path-pattern.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { History, readRefState, Unknown } from "./history.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { refuseRequest } from "./refusal.ts";
import { repositoryAt } from "./repository.ts";

/** The number of repositories whose paths are cached. */
const MOST_HISTORIES = 8;

interface Known {
  readonly history: History;
  /** The digest of the refs it was read for; null if it was not read completely. */
  digest: string | null;
  /** Why it cannot be read, for that digest. */
  problem: Unknown | null;
  /** The answers for that digest, by request. */
  answers: Map<string, "yes" | "no">;
  looking: Promise<unknown>;
}

/** The histories that a git worker has read. Checks the refs at every request, so that no answer is stale. */
export class Histories {
  readonly #known = new Map<string, Known>();

  async lookUp(
    request: GitRequest<"everTracked">,
    ground: GitEnvironment,
  ): Promise<SuccessOf<"everTracked">> {
    const repo = await repositoryAt(request.folder, ground);
    const known = this.#of(repo);
    const answer = known.looking.then(() => answerFrom(known, repo, request, ground.signal));
    known.looking = answer.catch(() => {});
    return answer;
  }

  #of({ top, gitDir }: Repository): Known {
    const key = JSON.stringify([top, gitDir]);
    const known = this.#known.get(key) ?? {
      ...{ history: new History(), digest: null, problem: null },
      ...{ answers: new Map(), looking: Promise.resolve() },
    };
    // Moves the most recently used to the end.
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_HISTORIES && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}

async function answerFrom(
  known: Known,
  repo: Repository,
  { folder, alsoAt, patterns, anchors }: GitRequest<"everTracked">,
  signal: AbortSignal | undefined,
): Promise<SuccessOf<"everTracked">> {
  try {
    await update(known, repo, signal);
  } catch (error) {
    if (error instanceof Unknown) return refuseRequest(`The repository in ${repo.top} ${error.message}.`);
    throw error;
  }
  // Both the real path and the path as reached: the directory of a call may lead there by a link.
  const tops = [...new Set([repo.top, topAsReached(folder, repo.top), ...alsoAt])];
  const answers = patterns.map((pattern) => {
    const key = JSON.stringify([pattern, anchors, tops]);
    const answer = known.answers.get(key) ?? matched(known.history, pattern, anchors, tops);
    known.answers.set(key, answer);
    return answer;
  });
  return { type: "tracked", answers };
}

async function update(known: Known, repo: Repository, signal: AbortSignal | undefined): Promise<void> {
  const state = await readRefState(repo, signal);
  if (state.digest !== known.digest) {
    Object.assign(known, { digest: null, problem: null, answers: new Map() });
    try {
      await known.history.catchUp(repo, state, signal);
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      known.problem = error;
    }
    known.digest = state.digest;
  }
  if (known.problem !== null) throw known.problem;
}

function matched(
  { paths }: History,
  pattern: string,
  anchors: GitRequest<"everTracked">["anchors"],
  tops: readonly string[],
): "yes" | "no" {
  const matches = trackedMatcher(pattern, anchors);
  // An invalid pattern restricts nothing, but must not weaken a rule either.
  if (matches === null) return "yes";
  for (const path of paths) if (tops.some((top) => matches(join(top, path)))) return "yes";
  return "no";
}

function topAsReached(folder: string, top: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (realpathSync(at) === top) return at;
    if (dirname(at) === at) return top;
  }
}
