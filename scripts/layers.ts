/** `npm run layers`: what imports what it must not, and other rules about whole files. */
import { join } from "node:path";
import { readSources } from "./layers/read-source.ts";
import { rules } from "./layers/rules.ts";
import { sharedByTests, violations } from "./layers/violations.ts";

const root = join(import.meta.dirname, "..");
const files = readSources(root, "src");
const tests = readSources(root, "test");
const found = [...violations(files, rules), ...sharedByTests(tests, rules)];
for (const { path, line, message } of found) console.error(`${path}:${line} ${message}`);
console.log(`layers: ${files.length + tests.length} files, ${found.length} violations`);
process.exitCode = found.length > 0 ? 1 : 0;
