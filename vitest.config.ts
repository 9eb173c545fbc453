import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { CountsReporter } from "./test/support/counts-reporter.ts";
import { isLong } from "./test/support/long.ts";

export default defineConfig({
  test: {
    // Whole files that only the long run has (test/support/long.ts).
    include: isLong ? ["test/**/*.{test,long}.ts"] : ["test/**/*.test.ts"],
    // Processes, because tests start threads, change the environment and kill what they started.
    pool: "forks",
    // One more than there are cores: tests wait for processes and threads of theirs (212 s against 260 on two cores).
    maxWorkers: availableParallelism() + 1,
    watch: false,
    globalSetup: ["test/support/own-home.ts", "test/support/time-limit.ts"],
    // Not a limit on speed: a test that takes as long as this hangs, and fails by name.
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 10_000,
    allowOnly: process.env["CI"] === undefined,
    unstubEnvs: true,
    reporters: ["default", new CountsReporter()],
  },
});
