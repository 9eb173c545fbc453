import type { SourceFile, Violation } from "./source-file.ts";

/** Lines by directory of `src`; `scripts/layers/line-budgets.json` has what is allowed. */
export type LineBudgets = Readonly<Record<string, number>>;

/** Returns the lines of each directory of `src`. */
export function countLines(files: readonly SourceFile[]): LineBudgets {
  const counts: Record<string, number> = {};
  for (const { path, lines } of files) {
    const directory = path.split("/").slice(0, 2).join("/");
    counts[directory] = (counts[directory] ?? 0) + lines;
  }
  return counts;
}

/** Returns the directories that have more lines than their budget. A budget may only fall. */
export function overBudget(files: readonly SourceFile[], budgets: LineBudgets): Violation[] {
  return Object.entries(countLines(files))
    .filter(([directory, lines]) => lines > (budgets[directory] ?? 0))
    .map(([directory, lines]) => ({
      path: directory,
      line: 1,
      message: `has ${lines} lines, and its budget is ${budgets[directory] ?? 0}; make something shorter first`,
    }));
}
