import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { faultSessions } from "./fault-sessions.ts";
import { injections } from "./injections.ts";
import { type Fault, faults } from "./table.ts";

/** Of the fault plan: what concerns model, threads, journal and processes. */
const NUMBERS = [
  ...Array.from({ length: 38 }, (_, n) => n + 1),
  ...[41, 42, 43, 44, 45, 46, 51, 52, 53, 54, 55, 61, 63, 64, 65, 66, 67, 68],
];
/** Other ones are for `npm run test:soak`. */
const SEED = 20_261_122;

test("the table has every fault once, and each has a proof", () => {
  expect(faults.map(({ number }) => number)).toEqual(NUMBERS);
  for (const { number, name, shown, retried, kept, proofs } of faults) {
    for (const words of [name, shown, retried, kept]) expect(words, String(number)).not.toBe("");
    expect(proofs.length, `fault ${number}: ${name}`).toBeGreaterThan(0);
  }
});

test("the faults in the table are the faults that are injected", () => {
  const here = faults.filter(({ proofs }) => proofs.some(({ type }) => type === "sessions"));
  expect(here.map(({ number }) => number)).toEqual([...injections.keys()].sort((a, b) => a - b));
});

test("the proofs that stand elsewhere are there", () => {
  const named = faults.flatMap(({ number, proofs }) =>
    proofs.flatMap((proof) => (proof.type === "test" ? [{ number, ...proof }] : [])),
  );
  expect(named.length).toBeGreaterThan(0);
  const missing = named.filter(({ file, title }) => {
    const path = join(import.meta.dirname, "..", file);
    const source = existsSync(path) ? readFileSync(path, "utf8") : "";
    const quoted = [title, title.replaceAll("'", "\\'")].flatMap((one) => [`"${one}"`, `\`${one}\``]);
    return !quoted.some((one) => source.includes(one));
  });
  expect(missing.map(({ number, file, title }) => `fault ${number}: ${file} has no test "${title}"`)).toEqual(
    [],
  );
});

describe("a session that is given a fault", async () => {
  const reports = faultSessions(SEED);
  reports.catch(() => {});
  const titles = [...injections.keys()].map((number) => faults.find((fault) => fault.number === number));
  test.each(titles.filter((fault): fault is Fault => fault !== undefined))(
    "$number: $name; shown: $shown; retried: $retried; kept: $kept",
    // The first of them waits for all sessions.
    { tags: ["long"], timeout: 300_000 },
    async ({ number }) => {
      const mine = (await reports).filter((report) => report.number === number);
      expect(mine.length).toBeGreaterThan(0);
      for (const { where, faults: wrong } of mine) expect(wrong, `${where}, seed ${SEED}`).toEqual([]);
    },
  );
});
