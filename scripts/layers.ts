/**
 * `npm run layers`: what imports what it must not, and other rules about whole files and directories.
 * `npm run layers -- --lower` writes the line budgets of all directories down to what they have.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportedTwice } from "./layers/exported-names.ts";
import { countLines, type LineBudgets, overBudget } from "./layers/line-budget.ts";
import { readSources } from "./layers/read-source.ts";
import { rules } from "./layers/rules.ts";
import { sharedByTests, violations } from "./layers/violations.ts";

const root = join(import.meta.dirname, "..");
const budgetsFile = join(root, "scripts/layers/line-budgets.json");
const files = readSources(root, "src");
const tests = readSources(root, "test");
if (process.argv.includes("--lower")) {
  const budgets: LineBudgets = JSON.parse(readFileSync(budgetsFile, "utf8"));
  const lower = Object.entries(countLines(files)).map(([dir, lines]) => [
    dir,
    Math.min(lines, budgets[dir] ?? lines),
  ]);
  writeFileSync(budgetsFile, `${JSON.stringify(Object.fromEntries(lower), null, 2)}\n`);
}
const found = [
  ...violations(files, rules),
  ...sharedByTests(tests, rules),
  ...exportedTwice(files),
  ...overBudget(files, JSON.parse(readFileSync(budgetsFile, "utf8"))),
];
for (const { path, line, message } of found) console.error(`${path}:${line} ${message}`);
console.log(`layers: ${files.length + tests.length} files, ${found.length} violations`);
process.exitCode = found.length > 0 ? 1 : 0;
