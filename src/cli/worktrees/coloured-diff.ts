import type { Paint } from "../colour.ts";

/**
 * A text of `git diff` with colours, line by line. Where a hunk is read, its first characters count: a line that was
 * taken out may itself begin with two dashes, and is no head of a file.
 */
export function colouredDiff(diff: string, paint: Paint): string {
  let inHunk = false;
  return diff
    .split("\n")
    .map((line) => {
      if (line.startsWith("diff --git ")) inHunk = false;
      else if (line.startsWith("@@ ")) inHunk = true;
      return colouredLine(line, inHunk, paint);
    })
    .join("\n");
}

function colouredLine(line: string, inHunk: boolean, paint: Paint): string {
  if (line === "") return line;
  if (!inHunk) return paint("bold", line);
  if (line.startsWith("@@ ")) return paint("cyan", line);
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}
