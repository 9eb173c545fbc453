import { join, resolve } from "node:path";
import { holds, realOf } from "./path-candidates.ts";

/** Where a session stands. All folders are absolute. */
export interface Anchors {
  readonly projectRoot: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** What commands are run by; `bash` unless said. */
  readonly shell?: "bash" | "powershell";
  /** Folders that belong to the workspace besides the working directory and the project root. */
  readonly additionalDirs?: readonly string[];
  /** Folders that may be read besides, such as the one that commands write their output to. */
  readonly readable?: readonly string[];
  /** The worktree that `projectRoot` lies in, and the checkout it is of: deny and ask rules of that hold here too. */
  readonly twin?: Twin;
  /** The folder of settings: a name that is protected at any depth, or a path; `.claude` unless said. */
  readonly configDir?: string;
}

/** Two folders with the same files in them, as far as rules go. */
export interface Twin {
  readonly tree: string;
  readonly checkout: string;
}

/** The anchors with what follows from them. */
export interface ResolvedAnchors {
  readonly projectRoot: string;
  readonly home: string;
  readonly darwin: boolean;
  readonly shell: "bash" | "powershell";
  readonly configDir: string;
  /** Where `/p` of the person's own settings begins. */
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
  additionalDirs = [],
  readable = [],
  configDir = ".claude",
  twin,
}: Anchors): ResolvedAnchors {
  const root = resolve(projectRoot);
  const own = resolve(home);
  return {
    projectRoot: root,
    home: own,
    darwin: platform === "darwin",
    shell,
    configDir,
    configFolder: configDir.startsWith("/") ? resolve(configDir) : join(own, configDir),
    workspace: [root, ...additionalDirs.map((folder) => fromHome(folder, own, root))],
    readable: readable.map((folder) => resolve(folder)),
    twin: twin === undefined ? null : { tree: resolve(twin.tree), checkout: resolve(twin.checkout) },
  };
}

/** What a path in the worktree is in the checkout; null for one that is not in the worktree. */
export function twinOf({ tree, checkout }: Twin, path: string): string | null {
  const root = bothOf(tree).find((one) => holds(one, path));
  return root === undefined ? null : `${checkout}${path.slice(root.length)}`;
}

function fromHome(folder: string, home: string, root: string): string {
  return resolve(root, folder === "~" || folder.startsWith("~/") ? `${home}${folder.slice(1)}` : folder);
}

/** A folder and where its links lead. */
export function bothOf(folder: string, reals?: Map<string, string>): readonly string[] {
  const real = realOf(folder, reals);
  return real === folder ? [folder] : [folder, real];
}

export function isIn(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => holds(folder, path));
}
