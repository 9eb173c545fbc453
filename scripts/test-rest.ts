/**
 * `npm run test:rest`: after `npm test` in CI. The tests with the tag `long`, in an order that a printed seed decides
 * (`-- --seed N` repeats it), then the mutations of the core. The last line is the counts of both, each mutation
 * counted as a test. Needs a build.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const place = mkdtempSync(join(tmpdir(), "counts-"));
const counts = join(place, "counts");

/** Runs to its end; returns whether it succeeded. */
function runNode(script: string, args: readonly string[]): boolean {
  const env = { ...process.env, TROUPE_COUNTS: counts };
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd: root,
    env,
    stdio: "inherit",
  });
  return status === 0;
}

/** Sums lines of the form `7 passed, 0 failed, 1 skipped`. */
function sumCounts(lines: readonly string[]): string {
  const sum = (word: string) =>
    lines.reduce((total, line) => total + Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0), 0);
  return `${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`;
}

const { values } = parseArgs({ options: { seed: { type: "string" } } });
const seed = values.seed ?? String(Date.now() % 1_000_000);
try {
  console.log(`The long tests, shuffled with seed ${seed}`);
  const shuffled = ["--tags-filter=long", "--sequence.shuffle", `--sequence.seed=${seed}`];
  const tested = runNode("node_modules/vitest/vitest.mjs", ["run", ...shuffled]);
  console.log("The mutations of the core: the tests must notice each");
  const noticed = runNode("scripts/mutate.ts", ["--core"]);
  console.log(sumCounts(readFileSync(counts, "utf8").split("\n")));
  process.exitCode = tested && noticed ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}
