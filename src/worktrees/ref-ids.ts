import type { GitAnswer } from "./git.ts";

/** Returns the object that each of these refs names, without those that do not exist: one start of git for all. */
export async function idsOf(
  run: (args: readonly string[]) => Promise<GitAnswer>,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { out } = await run(["for-each-ref", "--format=%(refname) %(objectname)", ...refs]);
  return new Map(
    out
      .trim()
      .split("\n")
      .map((line): [string, string] => {
        const [ref = "", id = ""] = line.split(" ");
        return [ref, id];
      }),
  );
}
