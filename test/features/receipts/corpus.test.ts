import { describe, expect, test } from "vitest";
import { evidenceOf } from "../../../src/features/receipts/evidence.ts";
import { unverifiedIn } from "../../../src/features/receipts/index.ts";
import type { Case } from "./corpus/case.ts";
import { honestEnglish } from "./corpus/honest-english.ts";
import { honestOthers } from "./corpus/honest-others.ts";
import { cited } from "./corpus/invented-cited.ts";
import { untouched } from "./corpus/invented-untouched.ts";
import { ROOT } from "./project.ts";

const honest = [...honestEnglish, ...honestOthers];
const invented = [...untouched, ...cited];

function checked({ seen, report }: Case) {
  const evidence = evidenceOf(seen, [seen.root, ROOT]);
  return { calls: evidence.calls, unverified: unverifiedIn(report, evidence) };
}

describe("the corpus of reports (D10, C4)", () => {
  test("it has 50 invented and 50 honest reports", () => {
    expect([honest.length, invented.length]).toEqual([50, 50]);
  });

  test.each(untouched)("without a tool: $name", (one) => {
    expect(checked(one).calls).toBe(0);
  });

  test.each(cited)("invented: $name", (one) => {
    expect(checked(one).unverified).not.toEqual([]);
  });

  test.each(honest)("honest: $name", (one) => {
    expect(checked(one).unverified).toEqual([]);
  });

  test("every zero-tool and cited-but-never-read report is flagged, and at most 2 % of the honest ones", () => {
    const missed = invented.filter((one) => checked(one).calls > 0 && checked(one).unverified.length === 0);
    const wrong = honest.filter((one) => checked(one).calls === 0 || checked(one).unverified.length > 0);
    expect(missed.map(({ name }) => name)).toEqual([]);
    expect(wrong.length / honest.length).toBeLessThanOrEqual(0.02);
  });
});
