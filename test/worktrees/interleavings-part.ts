import { expect, test } from "vitest";
import { isLong, long } from "../support/long.ts";
import { playInterleavings } from "./interleaving.ts";

const PARTS = 4;

/** A thousand of them, in four files that run side by side; in the short form a few of each, every day those of the first. */
export function interleavingsPart(part: number): void {
  const interleavings = long(1_000 / PARTS, part === 1 ? 2 : 4);
  test(`every byte that a snapshot answered for is recoverable and the person's are the person's, whatever is killed, merged, undone, cleaned up or collected (D9), part ${part}`, {
    tags: part === 1 ? [] : ["long"],
    timeout: long(3_600_000, 120_000),
  }, async () => {
    const played = await playInterleavings(interleavings, 20_261_221 + part);
    if (isLong) console.log(JSON.stringify(played));
    // Else it would show nothing.
    expect(played.killed).toBeGreaterThan(interleavings / 4);
    // Four of them may well have no merge.
    expect(played.merged).toBeGreaterThanOrEqual(long(interleavings / 10, 0));
  });
}
