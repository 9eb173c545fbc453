import type { Git } from "../git.ts";
import { outputOf } from "../refusal.ts";

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
