import type { SourceFile } from "./source-file.ts";

/** Circles of imports, each as a path that ends where it began; at least one per knot of files. */
export function cycles(files: readonly SourceFile[]): string[][] {
  const edges = new Map(files.map(({ path, imports }) => [path, imports.map(({ to }) => to)]));
  const done = new Set<string>();
  const found: string[][] = [];

  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}
