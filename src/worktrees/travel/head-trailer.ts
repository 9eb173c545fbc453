import type { Git } from "../git.ts";

/** The line in the message of a commit of files that names the HEAD of their worktree. */
export function headTrailer(head: string): string {
  return `Head: ${head}`;
}

/** Returns the HEAD for a worktree with the files of a commit: the one that it names, if it exists, or else itself. */
export async function findHead(git: Git, commit: string): Promise<string> {
  const format = "--format=%(trailers:key=Head,valueonly)";
  const { out } = await git.run(["show", "-s", format, commit]);
  const named = out.trim();
  if (!/^[0-9a-f]{40,64}$/.test(named)) return commit;
  const { code } = await git.run(["merge-base", "--is-ancestor", named, commit]);
  return code === 0 ? named : commit;
}
