/** `npm run layers`: what imports what it must not, and other rules about whole files. */
import { join } from "node:path";
import { readSources } from "./layers/read-source.ts";
import { rules } from "./layers/rules.ts";
import { violations } from "./layers/violations.ts";

const files = readSources(join(import.meta.dirname, ".."), "src");
const found = violations(files, rules);
for (const { path, line, message } of found) console.error(`${path}:${line} ${message}`);
console.log(`layers: ${files.length} files, ${found.length} violations`);
process.exitCode = found.length > 0 ? 1 : 0;
