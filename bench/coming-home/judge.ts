import type { HomeOutcome, NotStarted } from "./adapter.ts";
import { type Entries, splitEntry } from "./entries.ts";

/** What one tool made of one case. */
export interface Verdict {
  readonly name: string;
  /** `failed`: it rejected, so the user is told nothing. */
  readonly outcome: (HomeOutcome | NotStarted)["type"] | "failed";
  /** Bytes of the user that are gone or were added to, apart from what was to be merged. */
  readonly userBytes: number;
  /** Files that the agent changed, and whose change is neither in the checkout nor on the branch that the user is told. */
  readonly lost: number;
  /** Files that are said to be home and are not what a merge makes of them. */
  readonly wrong: number;
  readonly why: string;
  /** What is wrong, one line for each file. */
  readonly problems: readonly string[];
}

export interface Evidence {
  readonly name: string;
  /** The user's files and git directory, before the edits came home and after. */
  readonly before: Entries;
  readonly after: Entries;
  /** Of the files that the agent changed, what it made of them; null if it deleted one. */
  readonly edits: ReadonlyMap<string, string | null>;
  /** What the merge changes in the checkout; null if the edits do not fit, so that they must not come home. */
  readonly merged: ReadonlyMap<string, string | null> | null;
  readonly outcome: HomeOutcome | NotStarted | { readonly type: "failed"; readonly why: string };
  /** What the branch that the user is told has; null if none is told. */
  readonly branch: Entries | null;
}

export function judge(evidence: Evidence): Verdict {
  const { name, outcome } = evidence;
  const found = { userBytes: 0, lost: 0, wrong: 0, problems: [] as string[] };
  const isHome = outcome.type === "home";
  for (const path of allPaths(evidence)) {
    const before = evidence.before.get(path) ?? null;
    const after = evidence.after.get(path) ?? null;
    const merged = evidence.merged?.get(path);
    const isMerged = isHome && merged !== undefined;
    const wanted = isMerged ? merged : before;
    if (after === wanted) continue;
    const bytes = countDamage(before, after, wanted);
    found.userBytes += bytes;
    const isWrong = isMerged || (isHome && evidence.edits.has(path));
    if (isMerged && after === before) found.lost += 1;
    else if (isWrong) found.wrong += 1;
    if (bytes > 0 || isWrong) found.problems.push(`${path}: ${describe(before, after, wanted)}`);
  }
  // What is said to be home, and does not fit, was left out or is wrong.
  if (!isHome || evidence.merged === null)
    for (const [path, made] of evidence.edits) {
      if (evidence.branch !== null && (evidence.branch.get(path) ?? null) === made) continue;
      const now = evidence.after.get(path) ?? null;
      const isWrong = isHome && now !== (evidence.before.get(path) ?? null);
      if (now === made || now === evidence.merged?.get(path) || isWrong) continue;
      found.lost += 1;
      found.problems.push(`${path}: the agent's change is lost`);
    }
  const why = "why" in outcome ? outcome.why : "";
  return { name, outcome: outcome.type, why, ...found };
}

/** New refs, and directories that are empty now, are not the user's. */
function allPaths({ before, after, merged }: Evidence): ReadonlySet<string> {
  const added = [...after.keys()].filter((path) => !/^\.git: refs|\/$/.test(path));
  return new Set([...before.keys(), ...added, ...(merged?.keys() ?? [])]);
}

/** Bytes in lines that the user had and that should have stayed, and in lines that nobody wanted. At least 1 for a mode. */
export function countDamage(before: string | null, after: string | null, wanted: string | null): number {
  if (after === wanted) return 0;
  const [was, is, should] = [before, after, wanted].map((one) => splitEntry(one ?? ""));
  const kept = intersect(countLines(was?.bytes ?? ""), countLines(should?.bytes ?? ""));
  const now = countLines(is?.bytes ?? "");
  const allowed = union(countLines(was?.bytes ?? ""), countLines(should?.bytes ?? ""));
  const bytes = bytesBeyond(kept, now) + bytesBeyond(now, allowed);
  const isKept = before !== null && wanted !== null;
  // Another mode, another order, or an empty file that is gone.
  return bytes === 0 && isKept && (after === null || was?.bytes === should?.bytes) ? 1 : bytes;
}

type Counts = ReadonlyMap<string, number>;

function countLines(bytes: string): Counts {
  const counts = new Map<string, number>();
  for (const line of bytes.split(/(?<=\n)/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function intersect(one: Counts, other: Counts): Counts {
  return new Map([...one].map(([line, count]) => [line, Math.min(count, other.get(line) ?? 0)]));
}

function union(one: Counts, other: Counts): Counts {
  const all = new Map(one);
  for (const [line, count] of other) all.set(line, Math.max(count, all.get(line) ?? 0));
  return all;
}

function bytesBeyond(some: Counts, limit: Counts): number {
  let bytes = 0;
  for (const [line, count] of some) bytes += line.length * Math.max(0, count - (limit.get(line) ?? 0));
  return bytes;
}

function describe(before: string | null, after: string | null, wanted: string | null): string {
  if (after === null) return "is gone";
  if (before === null && wanted === null) return "was added";
  if (splitEntry(after).bytes === splitEntry(wanted ?? "").bytes)
    return `has mode ${splitEntry(after).mode}, not ${splitEntry(wanted ?? "").mode}`;
  return after === before ? "lacks the agent's change" : "has other bytes";
}
