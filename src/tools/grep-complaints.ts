import type { RunResult } from "../mailbox/runs.ts";

/** `rg: ./path: Permission denied (os error 13)`: a path it passed over while it went on searching. */
const PASSED_OVER = /^rg: (.+) \(os error \d+\)$/;

/** What could not be read, as `path: reason`. */
export function unreadableIn(stderr: string): string[] {
  return stderr.split("\n").flatMap((line) => {
    const complaint = PASSED_OVER.exec(line)?.[1];
    return complaint === undefined ? [] : [complaint.replace(/^\.\//, "")];
  });
}

/** Why ripgrep did not search at all, with what to do; null when it only passed over some paths. */
export function refusalOf({ stderr, exitCode }: RunResult): string | null {
  if (unreadableIn(stderr).length > 0) return null;
  const said = stderr
    .split("\n\n")
    // Its advice is about flags that no caller of this tool can give.
    .filter((paragraph) => !paragraph.startsWith("Consider enabling"))
    .join("\n")
    .trim();
  return `ripgrep refused the search: ${said.replace(/^rg: /, "") || `exit code ${exitCode}`}\n${adviceFor(said)}`;
}

function adviceFor(said: string): string {
  if (said.includes("look-around") || said.includes("backreferences"))
    return "Search for a simpler pattern, and tell the right matches apart by reading them.";
  if (said.includes("not allowed in a regex")) return "For a match over several lines, set multiline: true.";
  if (said.includes("regex parse error"))
    return "Correct the pattern; signs that are meant literally need a backslash, as in \\{ or \\(.";
  if (said.includes("size limit")) return "Search for a simpler pattern, with smaller numbers in braces.";
  if (said.includes("unrecognized file type")) return "Use glob instead of type, for example '*.xyz'.";
  if (said.includes("parsing glob")) return "Correct the glob, for example '*.{ts,tsx}'.";
  return "Correct the input and search again.";
}
