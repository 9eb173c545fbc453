import { dirname, join } from "node:path";

/** Whose word a memory file is, from those who speak for all to those who speak for this folder. */
export type MemoryScope = "enterprise" | "user" | "project" | "local";

/** A file that is looked for. */
export interface MemoryPlace {
  readonly scope: MemoryScope;
  readonly path: string;
  /** Its imports may reach this folder, and no other without the person's agreement. */
  readonly reach: string;
  /** It lies above the project, where files of other users may lie. */
  readonly above: boolean;
  /** It is a file of rules: the folder that its patterns begin in. */
  readonly ruleOf?: string;
}

/** Where memory is looked for. All folders are absolute. */
export interface MemorySearch {
  readonly cwd: string;
  readonly homedir: string;
  /** Troupe's own folder. */
  readonly home: string;
  /** The folder of the organisation's settings. */
  readonly managed: string;
  /** The person has agreed to what the folder's own files say: imports may lead anywhere. */
  readonly trusted: () => boolean;
  /** A rule of the person's keeps this file from being read. */
  readonly denied: (path: string) => boolean;
}

/** Those of one folder, a tool's own file before the one for all. */
export const PROJECT: readonly string[] = ["CLAUDE.md", join(".claude", "CLAUDE.md"), "AGENTS.md"];
export const LOCAL: readonly string[] = ["CLAUDE.local.md"];

/** In the order in which they are told: the nearest folder and the person's own words last. `project`: its root. */
export function memoryPlaces(
  { cwd, homedir, home, managed }: Pick<MemorySearch, "cwd" | "homedir" | "home" | "managed">,
  project: string,
): MemoryPlace[] {
  const own = (scope: MemoryScope, folder: string, name: string): MemoryPlace => ({
    ...{ scope, path: join(folder, name), reach: "/", above: false },
  });
  const folders = upwards(cwd).toReversed();
  const inEach = (scope: MemoryScope, names: readonly string[]) =>
    folders.flatMap((folder) => {
      const above = !isPathInside(folder, project);
      const reach = above ? folder : project;
      return names.map((name) => ({ scope, path: join(folder, name), reach, above }));
    });
  return [
    own("enterprise", managed, "CLAUDE.md"),
    own("user", join(homedir, ".claude"), "CLAUDE.md"),
    own("user", home, "CLAUDE.md"),
    own("user", home, "AGENTS.md"),
    ...inEach("project", PROJECT),
    ...inEach("local", LOCAL),
  ];
}

/** The folder and those above it, the nearest first; the root of the file system only where it is the folder itself. */
export function upwards(cwd: string): string[] {
  const folders = [cwd];
  for (let at = dirname(cwd); at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}

export function isPathInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
