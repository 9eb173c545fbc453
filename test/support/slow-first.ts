import { hash } from "node:crypto";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What starts whole programs or much git, the longest first. */
const SLOW = [
  /\/e2e\/(the-gate|conversation|mcp|bad-days)/,
  /\/supervisor\/isolation\/(many|isolated|killed)/,
  /\/(canary-repositories|real-sandbox|memory|faults)\.test/,
  /\/e2e\//,
  /\/worktrees\/(merge\/|replay|interleavings)/,
  /\/supervisor\/(passivation|fan-out|background|what-is-kept)/,
  /\/worktrees\//,
];

/**
 * What took long the last time begins first, as always. Where that is not known, as in a fresh clone, it is guessed: a
 * long file that begins last is waited for while the other cores have nothing to do.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence;
    if (shuffle) return shuffleBySeed(files, seed);
    const known = (file: TestSpecification) => this.ctx.cache.getTestSpecificationResult(file)?.duration;
    const expected = new Map(files.map((file) => [file, known(file) ?? guessOf(file)]));
    return files.toSorted((a, b) => (expected.get(b) ?? 0) - (expected.get(a) ?? 0));
  }
}

function guessOf({ moduleId }: TestSpecification): number {
  const place = SLOW.findIndex((pattern) => pattern.test(moduleId));
  return place < 0 ? 0 : (SLOW.length - place) * 5_000;
}

/** In an order that only the seed decides, whatever order the files were found in. */
function shuffleBySeed(files: readonly TestSpecification[], seed: number): TestSpecification[] {
  const keys = new Map(files.map((file) => [file, hash("sha256", `${seed} ${file.moduleId}`)]));
  return files.toSorted((a, b) => ((keys.get(a) ?? "") < (keys.get(b) ?? "") ? -1 : 1));
}
