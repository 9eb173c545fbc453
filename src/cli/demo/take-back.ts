import type { Worktrees } from "../../worktrees/worktrees.ts";
import type { JobEnd } from "../jobs.ts";
import { type Check, onlyGone, type Seen, sameAsBefore } from "./checks.ts";
import type { Roles } from "./roles.ts";

/** One merge that was taken back, and what was found then. */
export interface TakenBack {
  /** Of the agents, from 1; null: nobody knows whose. */
  readonly agent: number | null;
  readonly title: string;
  readonly paths: readonly string[];
  readonly checks: readonly Check[];
}

interface Taking {
  readonly worktrees: Pick<Worktrees, "undo">;
  readonly checkout: string;
  readonly roles: Roles;
  readonly ends: readonly JobEnd[];
  readonly begin: Seen;
  see(): Promise<Seen>;
}

/** Takes the merges back, the latest one first. Each is answered as soon as it is done. */
export async function* takeAllBack(taking: Taking): AsyncGenerator<TakenBack> {
  const { worktrees, checkout, roles, ends, begin, see } = taking;
  const count = ends.filter(({ summary }) => summary.worktree?.merge !== undefined).length;
  if (count === 0) yield failed("no edits had been merged");
  let before = await see();
  for (let left = count; left > 0; left -= 1) {
    const answer = await worktrees.undo({ folder: checkout, which: null, force: false });
    if (answer.type !== "undone") {
      yield failed(answer.type === "refused" ? answer.reason : `the answer was "${answer.type}"`);
      return;
    }
    const after = await see();
    const at = ends.findIndex(({ summary }) => summary.worktree?.merge === answer.merge);
    const role = roles.agents[at];
    const checks = [
      ...(role === undefined ? [] : [onlyGone(before, after, role)]),
      ...(left === 1 ? [sameAsBefore(begin, after)] : []),
    ];
    yield { agent: at < 0 ? null : at + 1, title: answer.title, paths: answer.paths, checks };
    before = after;
  }
}

function failed(found: string): TakenBack {
  return {
    ...{ agent: null, title: "", paths: [] },
    checks: [{ says: "the merge is taken back", ok: false, found }],
  };
}
