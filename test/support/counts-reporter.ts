import { appendFileSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from "vitest/node";

/** More tests that pass only at the second try than this, and a run in CI fails. */
const MOST_SECOND_TRIES = 2;

/**
 * The run's last line, alone on it, for programs that read a log: `N passed, N failed, N skipped`. Before it stand the
 * reasons of all skipped tests, and which tests passed only when they were run again: each of them is a fault of its own
 * or of the product. In CI a test fails that was skipped for a program that CI installed (`TROUPE_INSTALLED`).
 */
export class CountsReporter implements Reporter {
  // Read now: the setup of the tests clears such variables.
  readonly #installed = (process.env["TROUPE_INSTALLED"] ?? "").split(" ").filter(Boolean);
  readonly #file = process.env["TROUPE_COUNTS"];

  #tags: readonly string[] = [];

  onInit(vitest: Vitest): void {
    this.#tags = vitest.config.tagsFilter ?? [];
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 };
    const reasons = new Map<string, number>();
    const again: string[] = [];
    const wrong: string[] = [];
    for (const module of modules) {
      // A file that cannot be loaded, or whose hooks fail, fails although no test of it did.
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        if (this.#isLeftOut(test)) continue;
        const result = test.result();
        const state = result.state === "pending" ? "skipped" : result.state;
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        const reason = state === "skipped" ? reasonOf(test) : null;
        const failsHere = reason !== null && this.#isInstalled(reason);
        count[failsHere ? "failed" : state] += 1;
        if (failsHere) wrong.push(`SKIPPED, BUT IT IS INSTALLED (${reason}): ${name}\n`);
        else if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        if (test.diagnostic()?.flaky) again.push(`PASSED ONLY AT THE SECOND TRY: ${name}\n`);
      }
    }
    if (process.env["CI"] !== undefined && again.length > MOST_SECOND_TRIES) {
      wrong.push(`${again.length} tests passed only at the second try, and ${MOST_SECOND_TRIES} may.\n`);
      count.failed += 1;
    }
    if (wrong.length > 0) process.exitCode = 1;
    const { passed, failed, skipped } = count;
    const lacking = [...reasons].map(([reason, tests]) => `SKIPPED, ${tests} of the tests: ${reason}\n`);
    const tries = again.length === 0 ? "" : `${again.length} at the second try\n`;
    const counts = `${passed} passed, ${failed} failed, ${skipped} skipped\n`;
    if (this.#file !== undefined) appendFileSync(this.#file, counts);
    // After the other reporters' summary, which is written in the same round.
    setImmediate(() => process.stdout.write([...lacking, ...again, ...wrong, tries].join("") + counts));
  }

  #isLeftOut(test: TestCase): boolean {
    const isLong = test.tags.includes("long");
    return this.#tags.includes(isLong ? "!long" : "long");
  }

  #isInstalled(reason: string): boolean {
    const words: readonly string[] = reason.match(/[\w-]+/g) ?? [];
    return this.#installed.some((program) => words.includes(program));
  }
}

/** What the test, or a suite around it, gives as its reason (see `needs.ts`). */
function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === "skipped" && result.note !== undefined) return result.note;
  for (let at: TestCase | TestSuite | TestModule = test; at.type !== "module"; at = at.parent) {
    const { skipped } = at.meta();
    if (skipped !== undefined) return skipped;
  }
  return "no reason is given";
}
