/**
 * `npm run words`: phrases that a native engineer would not write, in comments and strings of the sources, in the prose of
 * documents and in the titles of tests. `npm run words -- PATH…` lists those below these paths, and what to write instead.
 * A line with `word-ok` is left alone. Exits with 1 if a directory has more than `scripts/words/ceilings.json` allows.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { phrases } from "./words/phrases.ts";
import { readCode, readProse, readTitles, type Text } from "./words/texts.ts";

const root = join(import.meta.dirname, "..");
const ceilingsFile = join(root, "scripts/words/ceilings.json");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { lower: { type: "boolean" } },
});

interface Hit {
  readonly path: string;
  readonly line: number;
  readonly phrase: string;
  readonly instead: string;
}

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((path) => positionals.length === 0 || positionals.some((one) => path.startsWith(one)));
const hits = files.flatMap(findHits);

if (positionals.length > 0) {
  for (const { path, line, phrase, instead } of hits)
    console.log(`${path}:${line} "${phrase}" => ${instead}`);
} else {
  const counts = countByDirectory(hits);
  const ceilings: Record<string, number> = JSON.parse(readFileSync(ceilingsFile, "utf8"));
  if (values.lower) writeFileSync(ceilingsFile, `${JSON.stringify(counts, null, 2)}\n`);
  const above = Object.entries(counts).filter(([directory, count]) => count > (ceilings[directory] ?? 0));
  for (const [directory, count] of above)
    console.error(
      `${directory} has ${count} phrases of scripts/words/phrases.ts, ${ceilings[directory] ?? 0} are allowed: npm run words -- ${directory}`,
    );
  console.log(`words: ${hits.length} phrases to rewrite`);
  if (above.length > 0 && !values.lower) process.exitCode = 1;
}

function findHits(path: string): Hit[] {
  const texts = readTexts(path);
  if (texts.length === 0) return [];
  const lines = readFileSync(join(root, path), "utf8").split("\n");
  return texts.flatMap(({ text, line }) =>
    phrases.flatMap(([pattern, instead]) =>
      [...text.matchAll(pattern)].flatMap((match) => {
        const at = line + text.slice(0, match.index).split("\n").length - 1;
        return lines[at - 1]?.includes("word-ok") ? [] : [{ path, line: at, phrase: match[0], instead }];
      }),
    ),
  );
}

function readTexts(path: string): Text[] {
  const read = () => readFileSync(join(root, path), "utf8");
  if (/^src\/.*\.ts$/.test(path)) return readCode(path, read());
  if (/^test\/.*\.test\.ts$/.test(path)) return readTitles(path, read());
  if (/^(docs|skills|examples|bench)\/.*\.md$|^[A-Z]+\.md$/.test(path)) return readProse(read());
  return [];
}

/** Counts by `src/NAME` and `test/NAME`; documents by their first directory. */
function countByDirectory(all: readonly Hit[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of all) {
    const parts = path.split("/");
    const directory =
      parts.length > 2 && /^(src|test)$/.test(parts[0] ?? "")
        ? parts.slice(0, 2).join("/")
        : (parts[0] ?? "");
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
