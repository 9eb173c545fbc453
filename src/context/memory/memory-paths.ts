import { join } from "node:path";
import { ancestors, isPathInside } from "../../lib/paths.ts";
import type { Files } from "../files.ts";

/** Whose memory file it is, from those who speak for all to those who speak for this directory. */
export type MemoryScope = "enterprise" | "user" | "project" | "local";

/** A file that is looked for. */
export interface MemoryPath {
  readonly scope: MemoryScope;
  readonly path: string;
  /** Its imports may lead into this directory, and nowhere else unless the user trusts the project. */
  readonly reach: string;
  /** It is above the project, where other users may have files. */
  readonly above: boolean;
  /** It is a rule: the directory from which its patterns count. */
  readonly ruleOf?: string;
}

/** Where memory is looked for. All directories are absolute. */
export interface MemorySearch {
  readonly cwd: string;
  readonly homedir: string;
  /** Troupe's own directory. */
  readonly home: string;
  /** The directory of the organization's settings. */
  readonly managed: string;
  /** The user trusts the directory: imports may lead anywhere. */
  readonly trusted: () => boolean;
  /** A rule keeps this file from being read. */
  readonly denied: (path: string) => boolean;
}

/** The files of one directory, a tool's own before the one for all tools. */
const PROJECT: readonly string[] = ["CLAUDE.md", join(".claude", "CLAUDE.md"), "AGENTS.md"];
const LOCAL: readonly string[] = ["CLAUDE.local.md"];

/** Returns the files in the order in which agents see them: the nearest directory and the user's own last. */
export function memoryPaths(
  { cwd, homedir, home, managed }: Pick<MemorySearch, "cwd" | "homedir" | "home" | "managed">,
  project: string,
): MemoryPath[] {
  const own = (scope: MemoryScope, dir: string, name: string): MemoryPath => ({
    ...{ scope, path: join(dir, name), reach: "/", above: false },
  });
  const below = ancestors(cwd)
    .toReversed()
    .flatMap((dir) => {
      const above = !isPathInside(dir, project);
      return memoryPathsOf(dir, above ? dir : project).map((one) => ({ ...one, above }));
    });
  return [
    own("enterprise", managed, "CLAUDE.md"),
    own("user", join(homedir, ".claude"), "CLAUDE.md"),
    own("user", home, "CLAUDE.md"),
    own("user", home, "AGENTS.md"),
    ...below.filter(({ scope }) => scope === "project"),
    ...below.filter(({ scope }) => scope === "local"),
  ];
}

/** Returns the files of one directory of the project. */
export function memoryPathsOf(dir: string, reach: string): MemoryPath[] {
  const paths = (scope: MemoryScope, names: readonly string[]) =>
    names.map((name) => ({ scope, path: join(dir, name), reach, above: false }));
  return [...paths("project", PROJECT), ...paths("local", LOCAL)];
}

/** Returns the nearest directory with a repository, or the directory itself. */
export function projectOf(cwd: string, files: Files): string {
  return ancestors(cwd).find((dir) => files.look(join(dir, ".git")).type !== "none") ?? cwd;
}
