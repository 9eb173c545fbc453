/** One line of ripgrep's output. Paths are relative to where it ran. */
export type GrepEntry =
  | {
      readonly type: "line";
      readonly path: string;
      readonly line: number;
      readonly match: boolean;
      readonly text: string;
      /** Lines between this one and the last entry were left out. */
      readonly gap: boolean;
    }
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "count"; readonly path: string; readonly count: number }
  | { readonly type: "binary"; readonly path: string };

/** Parses the output of `--files-with-matches --null`. With `cut`, the last path may be incomplete. */
export function parseFiles(stdout: string, cut: boolean): GrepEntry[] {
  return piecesOf(stdout, "\0", cut).map((path) => ({ type: "file", path: withoutDot(path) }));
}

/** Parses the output of `--count --null`. */
export function parseCounts(stdout: string, cut: boolean): GrepEntry[] {
  return piecesOf(stdout, "\n", cut).flatMap((row): GrepEntry[] => {
    const [path, count] = splitAtNul(row);
    return count === undefined ? [] : [{ type: "count", path: withoutDot(path), count: Number(count) }];
  });
}

/** Parses the output of `--line-number --null`: `path NUL number : text`, with `-` for `:` in lines of context. */
export function parseLines(stdout: string, cut: boolean): GrepEntry[] {
  let gap = false;
  return piecesOf(stdout, "\n", cut).flatMap((row): GrepEntry[] => {
    const [path, rest] = splitAtNul(row);
    if (rest === undefined) {
      gap ||= row === "--";
      const [, binary] = /^(.*): binary file matches/.exec(row) ?? [];
      return binary === undefined ? [] : [{ type: "binary", path: withoutDot(binary) }];
    }
    const [, line, mark, text] = /^(\d+)([:-])(.*)$/s.exec(rest) ?? [];
    if (line === undefined || text === undefined) return [];
    const entry = { path: withoutDot(path), line: Number(line), text: text.replace(/\r$/, "") };
    const afterGap = gap;
    gap = false;
    return [{ type: "line", ...entry, match: mark === ":", gap: afterGap }];
  });
}

/** Sorts files by path, the entries of each as they came: as one thread of ripgrep would write what several found. */
export function sortByPath(entries: readonly GrepEntry[]): GrepEntry[] {
  const files = [...Map.groupBy(entries, ({ path }) => path)].map(([path, found]) => ({
    found,
    // Directory by directory, as ripgrep sorts: `a/b` comes before `a.ts`.
    key: path.replaceAll("/", "\0"),
  }));
  // With context there is a gap between files as well, but none before the one that came first.
  const hasGaps = files.slice(1).some(({ found: [first] }) => first?.type === "line" && first.gap);
  files.sort((a, b) => (a.key < b.key ? -1 : 1));
  return files.flatMap(({ found: [first, ...rest] }) =>
    first === undefined ? [] : [first.type === "line" ? { ...first, gap: hasGaps } : first, ...rest],
  );
}

function piecesOf(stdout: string, end: string, cut: boolean): string[] {
  const pieces = stdout.split(end);
  const last = pieces.pop();
  return cut || last === undefined || last === "" ? pieces : [...pieces, last];
}

function splitAtNul(row: string): [string, string | undefined] {
  const at = row.indexOf("\0");
  return at < 0 ? [row, undefined] : [row.slice(0, at), row.slice(at + 1)];
}

function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
