import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isPattern } from "../../lib/globs.ts";
import { exists } from "../../lib/on-disk.ts";
import { expandHome } from "../../lib/paths.ts";
import type { ConfinedView } from "../../mailbox/confined.ts";
import { holds } from "../engine/path-candidates.ts";

/** Paths below the home that hold credentials, or name accounts. */
const CREDENTIALS = [
  ".ssh .aws .azure .gnupg .kube .netrc _netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .vault-token",
  ".password-store .config/gh .config/glab-cli .config/gcloud .config/op .config/git/credentials .docker/config.json",
  ".cargo/credentials .cargo/credentials.toml .gem/credentials .config/rclone .config/hub .local/share/keyrings",
  ".terraform.d/credentials.tfrc.json .claude/.credentials.json .claude.json .claude/settings.json .claude/settings.local.json .bash_history .zsh_history",
].flatMap((line) => line.split(" "));

const SYSTEM_SECRETS = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
];

export interface SecretPlaces {
  readonly home: string;
  /** Where Troupe keeps journals and settings: no command reads them. */
  readonly troupeHome: string;
  /** The user's additions; `~/` is the home. */
  readonly denyRead: readonly string[];
}

/** Returns the absolute path that a setting names. */
export function fromHome(path: string, home: string): string {
  return resolve(home, expandHome(path, home));
}

/** Returns the paths of a setting that are not patterns, as absolute paths. */
export function namedPaths(paths: readonly string[], home: string): string[] {
  return paths.filter((path) => !isPattern(path)).map((path) => fromHome(path, home));
}

/** Returns the known paths of credentials and the user's additions, as absolute paths. */
export function secretPaths({ home, troupeHome, denyRead }: SecretPlaces): string[] {
  const added = namedPaths(denyRead, home);
  return [
    ...new Set([...CREDENTIALS.map((name) => join(home, name)), ...SYSTEM_SECRETS, troupeHome, ...added]),
  ];
}

/**
 * Returns settings that deny also these files, in every mode: a deny rule keeps file tools and commands from them, and the
 * sandbox hides them. Skips files that do not exist, as each rule costs time.
 */
export function denyingFiles<S extends { readonly denyRead?: readonly string[] }>(
  settings: S,
  files: readonly (string | undefined)[],
): S {
  const { denyRead = [] } = settings;
  const found = files.filter((file) => file !== undefined && exists(file) && !denyRead.includes(file));
  return found.length === 0 ? settings : { ...settings, denyRead: [...new Set([...denyRead, ...found])] };
}

/**
 * Returns how these paths are hidden, by their real paths; skips missing ones. A directory that contains a shown path
 * is empty but for that.
 */
export function hide(paths: readonly string[], shown: readonly string[]): ConfinedView[] {
  return paths.flatMap((path): ConfinedView[] => {
    const real = isReadable(path) ? realOrNull(path) : null;
    if (real === null) return [];
    if (!statSync(real).isDirectory()) return [{ as: "no-file", path: real }];
    const isOuter = shown.some((one) => one !== real && holds(real, one));
    return shown.includes(real) ? [] : [{ as: isOuter ? "empty" : "no-directory", path: real }];
  });
}

/** What this user cannot read need not be hidden; usually it does not exist. */
function isReadable(path: string): boolean {
  if (!exists(path)) return false;
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns where the links of a path lead; null if that does not exist. */
export function realOrNull(path: string): string | null {
  // This check is cheaper than an exception for something missing.
  if (!exists(path)) return null;
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
