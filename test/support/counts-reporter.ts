import type { Reporter, SerializedError, TestModule } from "vitest/node";

/**
 * The run's last line, alone on it, for whoever reads a log by machine: `N passed, N failed, N skipped`. Before it,
 * what this machine lacks: the reasons that tests give in their names where they are skipped for one; and which tests
 * passed only when they were run again, each of them a fault of its own or of the product.
 */
export class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 };
    const reasons = new Map<string, number>();
    const again: string[] = [];
    for (const module of modules) {
      // A file that cannot be loaded, or whose hooks fail, fails although no test of it did.
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === "pending" ? "skipped" : state] += 1;
        if (test.diagnostic()?.flaky)
          again.push(`PASSED ONLY AT THE SECOND TRY: ${module.relativeModuleId} > ${test.fullName}\n`);
        const [, reason] = /\(skipped: (.+)\)/.exec(test.fullName) ?? [];
        if (state === "skipped" && reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    }
    const { passed, failed, skipped } = count;
    const lacking = [...reasons].map(([reason, tests]) => `SKIPPED, ${tests} of the tests: ${reason}\n`);
    const counts = `${passed} passed, ${failed} failed, ${skipped} skipped\n`;
    // After the other reporters' summary, which is written in the same round.
    setImmediate(() => process.stdout.write([...lacking, ...again].join("") + counts));
  }
}
