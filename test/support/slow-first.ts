import { hash } from "node:crypto";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * What took long the last time begins first: a long file that begins last is waited for while the other cores have
 * nothing to do.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence;
    if (shuffle) return shuffleBySeed(files, seed);
    const known = (file: TestSpecification) => this.ctx.cache.getTestSpecificationResult(file)?.duration;
    const expected = new Map(files.map((file) => [file, known(file) ?? 0]));
    return files.toSorted((a, b) => (expected.get(b) ?? 0) - (expected.get(a) ?? 0));
  }
}

/** In an order that only the seed decides, whatever order the files were found in. */
function shuffleBySeed(files: readonly TestSpecification[], seed: number): TestSpecification[] {
  const keys = new Map(files.map((file) => [file, hash("sha256", `${seed} ${file.moduleId}`)]));
  return files.toSorted((a, b) => ((keys.get(a) ?? "") < (keys.get(b) ?? "") ? -1 : 1));
}
