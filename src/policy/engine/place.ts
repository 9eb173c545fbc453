import { join, resolve } from "node:path";
import { expandHome } from "../../lib/paths.ts";
import { holds, realOf } from "./path-candidates.ts";

/** The directories of a session, all absolute. */
export interface Anchors {
  readonly projectRoot: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The shell of commands; `bash` by default. */
  readonly shell?: "bash" | "powershell";
  /** Where commands search programs; where this process does by default. */
  readonly path?: string;
  /** Further directories of the workspace, after the working directory and the project root. */
  readonly additionalDirs?: readonly string[];
  /** Further readable directories, such as that of command outputs. */
  readonly readable?: readonly string[];
  /** The worktree that contains `projectRoot`, and its checkout, whose deny and ask rules also apply here. */
  readonly twin?: Twin;
  /** The settings directory: a name that is protected at any depth, or a path; `.claude` by default. */
  readonly configDir?: string;
}

/** Two directories with the same files, as far as rules are concerned. */
export interface Twin {
  readonly tree: string;
  readonly checkout: string;
}

/** The anchors with what follows from them. */
export interface ResolvedAnchors {
  readonly projectRoot: string;
  /** The same, and in a worktree what it is in the checkout. */
  readonly projects: readonly string[];
  readonly home: string;
  readonly darwin: boolean;
  readonly shell: "bash" | "powershell";
  readonly path: string | undefined;
  readonly configDir: string;
  /** The base of `/p` in the user's own settings. */
  readonly configFolder: string;
  readonly workspace: readonly string[];
  readonly readable: readonly string[];
  readonly twin: Twin | null;
}

export function placeOf({
  projectRoot,
  home,
  platform,
  shell = "bash",
  path,
  additionalDirs = [],
  readable = [],
  configDir = ".claude",
  twin,
}: Anchors): ResolvedAnchors {
  const root = resolve(projectRoot);
  const own = resolve(home);
  const both = twin === undefined ? null : { tree: resolve(twin.tree), checkout: resolve(twin.checkout) };
  const there = both === null ? null : twinOf(both, root);
  return {
    projectRoot: root,
    projects: there === null ? [root] : [root, there],
    home: own,
    darwin: platform === "darwin",
    shell,
    path,
    configDir,
    configFolder: configDir.startsWith("/") ? resolve(configDir) : join(own, configDir),
    workspace: [root, ...additionalDirs.map((folder) => resolve(root, expandHome(folder, own)))],
    readable: readable.map((folder) => resolve(folder)),
    twin: both,
  };
}

/** Returns the counterpart in the checkout of a path in the worktree, or null. */
export function twinOf({ tree, checkout }: Twin, path: string): string | null {
  const root = bothOf(tree).find((one) => holds(one, path));
  return root === undefined ? null : `${checkout}${path.slice(root.length)}`;
}

/** Returns a directory and its real path. */
export function bothOf(folder: string, reals?: Map<string, string>): readonly string[] {
  const real = realOf(folder, reals);
  return real === folder ? [folder] : [folder, real];
}

export function isIn(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => holds(folder, path));
}
