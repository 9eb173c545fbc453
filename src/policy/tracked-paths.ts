import { type Anchor, compilePathPattern } from "./engine/path-pattern.ts";
import { bothOf } from "./engine/place.ts";

/** Where the patterns of rules are anchored; all directories are absolute. */
export interface PatternAnchors {
  /** The project's root; in a worktree also what it is in the checkout. */
  readonly projects: readonly string[];
  readonly home: string;
  readonly config: string;
  readonly foldCase: boolean;
}

/**
 * Returns whether a deny or ask rule with this pattern may match a path; null if the pattern means nothing. In doubt it
 * matches: `a/b` counts below every directory, because each may be the working directory of a call.
 */
export function trackedMatcher(
  pattern: string,
  { projects, home, config, foldCase }: PatternAnchors,
): ((path: string) => boolean) | null {
  const folders: Record<Exclude<Anchor, "cwd">, readonly string[]> = {
    root: ["/"],
    home: bothOf(home),
    project: projects.flatMap((one) => bothOf(one)),
    config: bothOf(config),
  };
  // The two scopes differ in what `/p` means; `config` is the wider one.
  const found = compilePathPattern(pattern.trim(), {
    ...{ wide: true, withFolder: true, slash: "config", foldCase, folders },
  });
  if ("problem" in found) return null;
  return (path) => {
    const plain = foldCase ? path.normalize("NFC") : path;
    return found.some(({ anchor, anyDepth, expression }) => {
      const tails =
        anchor === "cwd" ? (anyDepth ? [plain.slice(1)] : tailsOf(plain)) : below(folders[anchor], plain);
      return tails.some((tail) => expression.test(tail));
    });
  };
}

function below(directories: readonly string[], path: string): readonly string[] {
  return directories.flatMap((dir) => {
    const start = dir.endsWith("/") ? dir : `${dir}/`;
    return path.startsWith(start) ? [path.slice(start.length)] : [];
  });
}

function tailsOf(path: string): readonly string[] {
  const names = path.slice(1).split("/");
  return names.map((_, at) => names.slice(at).join("/"));
}
