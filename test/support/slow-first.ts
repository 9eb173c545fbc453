import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What starts whole programs or much git, the longest first. */
const SLOW = [
  /\/e2e\/(the-gate|conversation|mcp|bad-days)/,
  /\/supervisor\/isolation\/(many|isolated|killed)/,
  /\/(canary-repositories|real-sandbox)\.test/,
  /\/e2e\//,
  /\/worktrees\/merge\//,
  /\/supervisor\/(passivation|fan-out|background|what-is-kept)/,
  /\/worktrees\//,
];

/**
 * What took long the last time begins first, as always. Where that is not known, as in a fresh clone, these do: a long
 * file that begins last is waited for while the other cores have nothing to do.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isKnown = files.some((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined);
    return isKnown ? sorted : sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = SLOW.findIndex((pattern) => pattern.test(moduleId));
  return place < 0 ? SLOW.length : place;
}
