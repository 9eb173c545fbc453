import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** The run's last line, alone on it, for whoever reads a log by machine: `N passed, N failed, N skipped`. */
export class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      // A file that cannot be loaded, or whose hooks fail, fails although no test of it did.
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === "pending" ? "skipped" : state] += 1;
      }
    }
    const { passed, failed, skipped } = count;
    // After the other reporters' summary, which is written in the same round.
    setImmediate(() => process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`));
  }
}
