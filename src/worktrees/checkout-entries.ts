import type { Repository } from "./environment.ts";
import { oddPath, parts } from "./git.ts";
import { outputOf, refuseRequest } from "./refusal.ts";

/** One entry of an index. */
export interface CheckoutEntry {
  /**
   * The tag of `git ls-files -v`: `M` unmerged, `S` skipped by a sparse checkout, lower case if git must not look at
   * it.
   */
  readonly tag: string;
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

export interface Entries {
  readonly entries: readonly CheckoutEntry[];
  /** Nested repositories that git does not track, without a trailing slash; only if asked for. */
  readonly nested: readonly string[];
}

/** Selects entries: a checkout has tens of thousands, and most are plain. */
export interface Wanted {
  /** Also files and links that are neither unmerged nor hidden from git. */
  readonly plain: boolean;
  /** Also nested repositories; this walks the checkout. */
  readonly nested: boolean;
}

const PLAIN = /^H 1[02]0/;

/** Returns the entries of an index. */
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
      // Only a directory that git does not enter ends in a slash.
      if (part.endsWith("/")) found.push(part.replace(/^\? /, "").slice(0, -1));
      continue;
    }
    const path = part.slice(tab + 1);
    if (/[a-zMS]/.test(tag) && oddPath(path))
      refuseRequest(`The name of ${path} in ${repo.top} is not UTF-8, so it cannot be kept safe.`);
    entries.push({ tag, mode, id, path });
  }
  return { entries, nested: found };
}
