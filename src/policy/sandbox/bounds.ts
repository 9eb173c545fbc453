import { lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { nestedProtected, ofRepository } from "./nested.ts";
import type { SandboxPlace } from "./sandbox.ts";

/** Where one command may do what, in real paths. Everything else may be read and not be written. */
export interface Bounds {
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
}

/** What a session's commands have in common. */
export interface BoundsGround {
  readonly home: string;
  /** Where Troupe keeps journals and settings: no command reads them. */
  readonly troupeHome: string;
  /** A folder of the session's own for temporary files. */
  readonly temporary: string;
  /** The person's additions. */
  readonly denyRead: readonly string[];
}

/** Below the home: what opens an account, or tells of one. */
const CREDENTIALS = [
  ".ssh .aws .azure .gnupg .kube .netrc _netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .vault-token",
  ".password-store .config/gh .config/glab-cli .config/gcloud .config/op .config/git/credentials .docker/config.json",
  ".cargo/credentials .cargo/credentials.toml .gem/credentials .config/rclone .config/hub .local/share/keyrings",
  ".terraform.d/credentials.tfrc.json .claude/.credentials.json .claude.json .bash_history .zsh_history",
].flatMap((line) => line.split(" "));

const SYSTEM_SECRETS = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
];

/**
 * What may not even come to be at the top of a folder that can be written: names that make a person's programs, or
 * ourselves, run something later. Each is held by a mount on a name that is not there, and so is an empty folder on
 * the disk for as long as a command runs: a folder, because git and copying tools pass over an empty one. Names that
 * package managers would stumble over as folders (.npmrc, .yarnrc.yml), or that are ordinary work (.gitmodules), are
 * held only where they exist; `nested.ts` finds those.
 */
const NEVER_MADE = [
  ".claude .troupe .vscode .idea .husky .devcontainer .mcp.json .envrc",
  ".bashrc .bash_profile .profile .zshrc .zprofile",
].flatMap((line) => line.split(" "));

/** Walks the writable folders, so it belongs in a thread where nobody waits. Throws where one cannot be looked at. */
export function boundsOf(ground: BoundsGround, place: SandboxPlace): Bounds {
  const roots = outermost(place.writable.map(realRoot));
  // A command of a root that is the whole machine, or all a person has, would be no sandbox.
  const tooWide = roots.find((root) => isInside(ground.home, root) || root === sep);
  if (tooWide !== undefined)
    throw new Error(
      `${tooWide} holds the whole home, and a command that may write there is not held by a sandbox; start Troupe in a project's folder`,
    );
  return {
    allowWrite: [...roots, ...ofGit(place.git?.writable), realRoot(ground.temporary)],
    denyWrite: unique([
      ...roots.flatMap((root) => [...neverMade(root), ...nestedProtected(root)]),
      ...ofGit(place.git?.held),
    ]),
    denyRead: readDenies(ground).filter((path) => !roots.includes(path)),
    allowRead: unique(
      place.readable.filter((folder) => exists(folder)).map((folder) => realpathSync(folder)),
    ),
  };
}

/** The credentials' places, and the person's additions, as absolute paths. */
export function readDenies({ home, troupeHome, denyRead }: BoundsGround): string[] {
  return unique([
    ...CREDENTIALS.map((name) => join(home, name)),
    ...SYSTEM_SECRETS,
    troupeHome,
    ...denyRead.map((path) => expanded(path, home)),
  ]);
}

/** What of it is there; what is not there is not made for it. */
function ofGit(paths: readonly string[] = []): string[] {
  return paths.filter(exists).map((path) => realpathSync(path));
}

function neverMade(root: string): string[] {
  // A bare repository is a root of its own; a worktree's `.git` is a file, held like any other.
  const repository = [join(root, ".git"), root].find((folder) => isFolder(folder) && isRepository(folder));
  const ofGit = repository === undefined ? [] : ofRepository(repository);
  const names = repository === root ? [] : NEVER_MADE.map((name) => join(root, name));
  return [...names, ...ofGit].map((path) =>
    // What is denied below a name that is not there makes the runtime hold the name with a folder.
    exists(path) ? path : join(path, "nothing"),
  );
}

function realRoot(folder: string): string {
  if (!isAbsolute(folder)) throw new Error(`${folder} is not an absolute path`);
  return realpathSync(folder);
}

/** Without those that lie in another one. */
function outermost(folders: readonly string[]): string[] {
  return unique(folders).filter(
    (folder) => !folders.some((other) => other !== folder && isInside(folder, other)),
  );
}

function expanded(path: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return resolve(home, path);
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function isRepository(folder: string): boolean {
  return exists(join(folder, "HEAD")) && isFolder(join(folder, "objects"));
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** Denied names that are not there: mounts hold them, and leave something behind if nobody can take it away. */
export function missing(paths: readonly string[]): string[] {
  return paths.map((path) => dirname(path)).filter((path) => !exists(path));
}
