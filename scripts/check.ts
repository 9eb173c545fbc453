/**
 * `npm run check`: types, lint, layers, phrases, unused code and stale mutations, side by side; `-- --build` builds as well. Each prints what it
 * has to say when it ends. Exits with 1 if one of them fails.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

const CHECKS = ["types", "lint", "layers", "words", "unused", "stale"];

/** Resolves to whether it succeeded, with all its output printed at once. */
async function runScript(name: string): Promise<boolean> {
  const child = spawn("npm", ["run", "--silent", name], {
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => output.push(String(bytes)));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", reject);
  child.once("close", resolve);
  const code = await promise;
  process.stdout.write(output.join(""));
  if (code !== 0) console.error(`npm run ${name} failed.`);
  return code === 0;
}

const { values } = parseArgs({ options: { build: { type: "boolean" } } });
const passed = await Promise.all([...CHECKS, ...(values.build ? ["build"] : [])].map(runScript));
process.exitCode = passed.includes(false) ? 1 : 0;
