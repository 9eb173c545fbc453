/**
 * `npm run test:rest`: what `npm test` leaves out, after it in CI. The tests with the tag `long`, in an order that a
 * printed seed decides (`-- --seed N` repeats it), then the mutations of the core. Needs a build.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");

/** Runs to its end; returns whether it succeeded. */
function runNode(script: string, args: readonly string[]): boolean {
  return (
    spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: "inherit" }).status === 0
  );
}

const { values } = parseArgs({ options: { seed: { type: "string" } } });
const seed = values.seed ?? String(Date.now() % 1_000_000);
console.log(`The long half of the tests, shuffled with seed ${seed}`);
const shuffled = ["--sequence.shuffle", `--sequence.seed=${seed}`];
const tested = runNode("node_modules/vitest/vitest.mjs", ["run", "--tags-filter=long", ...shuffled]);
console.log("The mutations of the core: the tests must notice each");
const noticed = runNode("scripts/mutate.ts", ["--core"]);
process.exitCode = tested && noticed ? 0 : 1;
