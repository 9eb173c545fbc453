/** All tests, with the proofs as long as they are meant (test/support/long.ts). Arguments go to vitest. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, TROUPE_TESTS: "long" },
});
process.exitCode = status ?? 1;
