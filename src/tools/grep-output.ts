/** One line of ripgrep's answer. Paths are relative to where it ran. */
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

/** Output of `--files-with-matches --null`. With `cut`, the last path may not be whole. */
export function parseFiles(stdout: string, cut: boolean): GrepEntry[] {
  return wholePieces(stdout, "\0", cut).map((path) => ({ type: "file", path: plain(path) }));
}

/** Output of `--count --null`. */
export function parseCounts(stdout: string, cut: boolean): GrepEntry[] {
  return wholePieces(stdout, "\n", cut).flatMap((row): GrepEntry[] => {
    const [path, count] = split(row);
    return count === undefined ? [] : [{ type: "count", path: plain(path), count: Number(count) }];
  });
}

/** Output of `--line-number --null`: `path NUL number : text`, with `-` for `:` in lines of context. */
export function parseLines(stdout: string, cut: boolean): GrepEntry[] {
  let gap = false;
  return wholePieces(stdout, "\n", cut).flatMap((row): GrepEntry[] => {
    const [path, rest] = split(row);
    if (rest === undefined) {
      gap ||= row === "--";
      const binary = /^(.*): binary file matches/.exec(row);
      return binary?.[1] === undefined ? [] : [{ type: "binary", path: plain(binary[1]) }];
    }
    const [, line, mark, text] = /^(\d+)([:-])(.*)$/s.exec(rest) ?? [];
    if (line === undefined || text === undefined) return [];
    const entry = {
      path: plain(path),
      line: Number(line),
      match: mark === ":",
      text: text.replace(/\r$/, ""),
    };
    const entryAfterGap = gap;
    gap = false;
    return [{ type: "line", ...entry, gap: entryAfterGap }];
  });
}

function wholePieces(stdout: string, end: string, cut: boolean): string[] {
  const pieces = stdout.split(end);
  const last = pieces.pop();
  return cut || last === undefined || last === "" ? pieces : [...pieces, last];
}

function split(row: string): [string, string | undefined] {
  const at = row.indexOf("\0");
  return at < 0 ? [row, undefined] : [row.slice(0, at), row.slice(at + 1)];
}

function plain(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
