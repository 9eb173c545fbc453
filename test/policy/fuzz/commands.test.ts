import { describe, expect, it } from "vitest";
import { unless } from "../../support/needs.ts";
import type { Found } from "./check-lines.ts";
import { fuzz } from "./fuzz.ts";
import { observationProblem } from "./run-lines.ts";

const problem = observationProblem();

describe("random command lines under strace", unless(problem), () => {
  it("do what the policy says of them (npm run fuzz:commands runs more)", {
    tags: ["long"],
    timeout: 240_000,
  }, async () => {
    const found: Found[] = [];
    const counts = await fuzz({ lines: 1_000, seed: 1, only: null, onFound: (one) => found.push(one) });
    expect(found.map(({ line, what }) => `${line.text}: ${what.join(", ")}`)).toEqual([]);
    expect(counts.ran).toBeGreaterThan(400);
  });
});
