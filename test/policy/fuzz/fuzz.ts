import { rmSync } from "node:fs";
import { checkLines, claimOf, type Found, type Judged } from "./check-lines.ts";
import { type Dice, makeDice } from "./dice.ts";
import { READ_DENIES, type ReadDeny } from "./difference.ts";
import { randomLine, readKnown } from "./random-line.ts";
import type { Known } from "./read-lines.ts";
import { Copies, type Ground, makeRoot } from "./repository.ts";

export interface FuzzOptions {
  readonly lines: number;
  readonly seed: number;
  /** One row, `edit NAME`, `deny NAME` or `confined NAME`; without a name, all of that sort. */
  readonly only: string | null;
  readonly onFound: (found: Found) => void;
  readonly onBatch?: (counts: Counts) => void;
  /** Ends the run after the batches that have begun. */
  readonly signal?: AbortSignal;
}

export interface Counts {
  generated: number;
  /** Lines that the policy allowed, and all that were made to start the canary. */
  ran: number;
  differed: number;
  /** For each row: lines generated, lines that were allowed (of deny rules: that really started the canary). */
  readonly rows: Record<string, [number, number]>;
  readonly missing: readonly string[];
}

const BATCH = 600;
/** Started by the lines besides the rows; builtins of bash exist as programs, too. */
const OTHERS =
  "find sed git xargs timeout nice nohup stdbuf test [ echo printf true false pwd which time".split(" ");
const EDITORS = "mkdir touch rm rmdir mv cp sed".split(" ");

/** Generates lines, runs those that the policy lets through, and reports what they did that it rules out. */
export async function fuzz({ lines, seed, only, onFound, onBatch, signal }: FuzzOptions): Promise<Counts> {
  const { known, missing } = readKnown();
  const counts: Counts = { generated: 0, ran: 0, differed: 0, rows: {}, missing };
  const programs = new Set([...known.map(({ row }) => row.name), ...OTHERS, ...EDITORS]);
  const root = makeRoot();
  try {
    const inRepository = new Copies(root);
    const almost = new Copies(root, "almost");
    const batches = Array.from({ length: Math.ceil(lines / BATCH) }, (_, batch) => batch).values();
    const same = { only, known, programs, root, counts };
    const work = async () => {
      for (const batch of batches) {
        if (signal?.aborted) return;
        const dice = makeDice(seed * 1_000_003 + batch);
        const size = Math.min(BATCH, lines - batch * BATCH);
        const copies = batch % 5 === 4 ? almost : inRepository;
        const found = await runBatch({ ...same, dice, size, copies, batch });
        counts.differed += found.length;
        for (const one of found) onFound(one);
        onBatch?.(counts);
      }
    };
    await Promise.all([work(), work()]);
    return counts;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Batch {
  readonly dice: Dice;
  readonly size: number;
  readonly only: string | null;
  readonly known: readonly Known[];
  readonly programs: ReadonlySet<string>;
  readonly copies: Copies;
  readonly root: string;
  readonly batch: number;
  readonly counts: Counts;
}

async function runBatch(made: Batch): Promise<readonly Found[]> {
  const { dice, size, only, known, programs, copies, root, batch, counts } = made;
  const grounds = copies.make(`b${batch}`, 1);
  try {
    const [shared] = grounds as [Ground];
    const deny = READ_DENIES[batch % READ_DENIES.length] as ReadDeny;
    const judged: Judged[] = [];
    for (let at = 0; at < size; at++) {
      const { line, purpose } = randomLine(dice, known, only);
      const claim = claimOf(line, purpose, deny, shared, programs);
      count(counts, line.row, claim !== null && claim.kind !== "starts");
      if (claim) counts.ran += 1;
      if (claim) judged.push({ line, claim, ground: shared });
    }
    // What writes gets a copy of its own, at another path; the decision does not depend on the path.
    const own = judged.filter(({ claim }) => claim.kind === "edits");
    const fresh = copies.make(`b${batch}e`, own.length);
    grounds.push(...fresh);
    const placed = judged.map((one) => ({ ...one, ground: fresh[own.indexOf(one)] ?? one.ground }));
    const { found, started } = await checkLines({ root, name: `b${batch}`, copies, judged: placed });
    for (const { row } of started)
      counts.rows[row] = [counts.rows[row]?.[0] ?? 0, (counts.rows[row]?.[1] ?? 0) + 1];
    return found;
  } finally {
    copies.remove(grounds);
  }
}

function count(counts: Counts, row: string, allowed: boolean): void {
  const of = counts.rows[row] ?? [0, 0];
  counts.rows[row] = [of[0] + 1, of[1] + (allowed ? 1 : 0)];
  counts.generated += 1;
}
