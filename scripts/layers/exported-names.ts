import type { SourceFile, Violation } from "./source-file.ts";

/** Names that two files declare and export, so that a search finds two things. A re-export, or a type beside its value, is one thing. */
export function exportedTwice(files: readonly SourceFile[]): Violation[] {
  const first = new Map<string, string>();
  return files.flatMap(({ path, exports }) =>
    exports.flatMap(({ what, line }) => {
      const other = first.get(what);
      if (other === undefined) first.set(what, path);
      if (other === undefined || other === path) return [];
      return [{ path, line, message: `exports ${what}, and so does ${other}; rename one, or keep one` }];
    }),
  );
}
