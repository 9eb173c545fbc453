import type { GrepEntry } from "./grep-output.ts";

/**
 * Files in the order of their paths, the entries of each as they came: what several threads of ripgrep found,
 * as one thread would tell it.
 */
export function byPath(entries: readonly GrepEntry[]): GrepEntry[] {
  const files = [...Map.groupBy(entries, ({ path }) => path)].map(([path, found]) => ({
    found,
    // Folder by folder, as ripgrep itself sorts: `a/b` comes before `a.ts`.
    key: path.replaceAll("/", "\0"),
  }));
  // Lines with context are parted between files as well, only the file that came first has nothing before it.
  const isParted = files.slice(1).some(({ found: [first] }) => first?.type === "line" && first.gap);
  files.sort((a, b) => (a.key < b.key ? -1 : 1));
  return files.flatMap(({ found: [first, ...rest] }) =>
    first === undefined ? [] : [first.type === "line" ? { ...first, gap: isParted } : first, ...rest],
  );
}
