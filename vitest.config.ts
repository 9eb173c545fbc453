import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { startsBundles } from "./test/support/bundled-entries.ts";
import { CountsReporter } from "./test/support/counts-reporter.ts";
import { SlowFirst } from "./test/support/slow-first.ts";

export default defineConfig({
  plugins: [startsBundles],
  test: {
    include: ["test/**/*.test.ts"],
    // Recorded before a restructuring and compared after it: npm run test:goldens.
    exclude: process.env["TROUPE_GOLDENS"] === undefined ? ["test/goldens/**"] : [],
    tags: [
      {
        name: "long",
        description: "Slow, and close to a quick test: `npm run test:rest` runs it.",
      },
    ],
    // Processes, because tests start threads, change the environment and kill what they started. Files share them:
    // no module keeps state, and half of what a file of quick tests costs would be a process of its own.
    pool: "forks",
    isolate: false,
    // One more than there are cores: tests wait for processes and threads of theirs (212 s against 260 on two cores).
    maxWorkers: availableParallelism() + 1,
    // In CI in an order that a printed seed decides: files share processes, and no test may depend on another one.
    sequence: { sequencer: SlowFirst, shuffle: process.env["CI"] !== undefined },
    watch: false,
    globalSetup: [
      "test/support/own-home.ts",
      "test/support/own-build.ts",
      "test/support/bundled-entries.ts",
      "test/support/time-limit.ts",
    ],
    // Not a limit on speed: a test that takes as long as this hangs, and fails by name. A whole program that shares
    // two cores with thirty others has taken 20 s honestly.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Less than that, so that what was waited for is named.
    expect: { poll: { timeout: 50_000 } },
    teardownTimeout: 10_000,
    // A whole run is hundreds of processes on two cores: one test that lost a bet on time is named at the end (the counts
    // reporter) and does not cost all the others. By hand nothing is run again, so that it is seen and repaired.
    retry: process.env["CI"] === undefined ? 0 : 1,
    allowOnly: process.env["CI"] === undefined,
    unstubEnvs: true,
    reporters: ["default", new CountsReporter()],
  },
});
