import type { Repository } from "./environment.ts";
import { oddPath, parts } from "./git.ts";
import { outputOf, refuse } from "./refusal.ts";

/** One entry of an index. */
export interface CheckoutEntry {
  /** As `git ls-files -v` has it: `M` unmerged, `S` skipped by a sparse checkout, small where git is not to look at it. */
  readonly tag: string;
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

export interface Entries {
  readonly entries: readonly CheckoutEntry[];
  /** Repositories within the repository that git does not know, without a slash at their ends; only where asked for. */
  readonly nested: readonly string[];
}

/** Which entries are wanted: a checkout has tens of thousands, of which few are not plain. */
export interface Wanted {
  /** Also files and links that are neither unmerged nor hidden from git. */
  readonly plain: boolean;
  /** Also repositories within it, for which the checkout is walked. */
  readonly nested: boolean;
}

const PLAIN = /^H 1[02]0/;

/** What is in an index. */
export async function entriesAndNested(
  repo: Repository,
  index: string,
  { plain, nested }: Wanted,
): Promise<Entries> {
  const others = nested ? ["-o", "--exclude-standard"] : [];
  const listed = await repo.git.run(["ls-files", "-v", "-s", "-z", ...others], { index });
  const entries: CheckoutEntry[] = [];
  const found: string[] = [];
  for (const part of parts(outputOf(listed, `The index of ${repo.top} could not be read`))) {
    if (!plain && PLAIN.test(part)) continue;
    const tab = part.indexOf("\t");
    const [tag = "", mode = "", id = "", stage] = part.slice(0, Math.max(tab, 0)).split(" ");
    if (stage === undefined || tag === "?") {
      // Only what git does not walk into ends in a slash.
      if (part.endsWith("/")) found.push(part.replace(/^\? /, "").slice(0, -1));
      continue;
    }
    const path = part.slice(tab + 1);
    if (/[a-zMS]/.test(tag) && oddPath(path))
      refuse(`The name of ${path} in ${repo.top} is not UTF-8, so it cannot be looked after.`);
    entries.push({ tag, mode, id, path });
  }
  return { entries, nested: found };
}
