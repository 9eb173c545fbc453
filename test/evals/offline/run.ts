import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ask, judge } from "./ask.ts";
import { QUESTIONS } from "./questions.ts";

/**
 * Asks the built offline model every question about the repositories that are named and prints each answer that is not good:
 * `node test/evals/offline/run.ts troupe=. godotenv=PATH`. `--show` prints every answer.
 */
const args = process.argv.slice(2);
const root = resolve(import.meta.dirname, "../../..");
const checkouts = new Map(
  args.flatMap((arg) => {
    const [name, path] = arg.split("=");
    return name !== undefined && path !== undefined ? [[name, resolve(path)] as const] : [];
  }),
);
const home = mkdtempSync(join(tmpdir(), "troupe-eval-"));
let good = 0;
let misleading = 0;
let all = 0;
for (const question of QUESTIONS) {
  const cwd = checkouts.get(question.repository);
  if (cwd === undefined) continue;
  const head = execFileSync("git", ["log", "-1", "--format=%h"], { cwd, encoding: "utf8" }).trim();
  const asked = await ask(question, join(root, "bin/troupe.js"), cwd, home);
  const { problems, misleads } = judge(question, asked, head);
  all += 1;
  if (problems.length === 0) good += 1;
  if (misleads) misleading += 1;
  console.log(`${problems.length === 0 ? "good" : "BAD "} ${question.repository}: ${question.prompt}`);
  for (const problem of problems) console.log(`       ${problem}`);
  if (args.includes("--show")) console.log(`${asked.err}\n${asked.out}\n${"-".repeat(70)}`);
}
rmSync(home, { recursive: true, force: true });
console.log(`${good} of ${all} are good, ${misleading} mislead.`);
