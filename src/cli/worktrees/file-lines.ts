import { safeLine } from "../safe-text.ts";

/** Files that a person is shown; JSON has them all. */
const MOST_FILES = 40;

/** One line per file, indented. */
export function fileLines(paths: readonly string[]): string {
  const left = paths.length - MOST_FILES;
  const lines = paths.slice(0, MOST_FILES).map((path) => `  ${safeLine(path)}\n`);
  return `${lines.join("")}${left > 0 ? `  and ${left} more\n` : ""}`;
}
