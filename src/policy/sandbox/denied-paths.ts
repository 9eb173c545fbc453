import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isPattern } from "../../lib/globs.ts";
import { exists } from "../../lib/on-disk.ts";
import { expandHome } from "../../lib/paths.ts";
import type { ConfinedView } from "../../mailbox/confined.ts";
import { userPlaces } from "../../settings/paths.ts";
import { holds } from "../engine/path-candidates.ts";

/** Paths below the home that hold credentials, or name accounts. */
const CREDENTIALS = [
  ".ssh .aws .azure .gnupg .kube .netrc _netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .vault-token",
  ".password-store .config/gh .config/glab-cli .config/gcloud .config/op .config/git/credentials .docker/config.json",
  ".cargo/credentials .cargo/credentials.toml .gem/credentials .config/rclone .config/hub .local/share/keyrings",
  ".terraform.d/credentials.tfrc.json .claude/.credentials.json .claude.json .claude/settings.json .claude/settings.local.json .bash_history .zsh_history",
].flatMap((line) => line.split(" "));

const SYSTEM_SECRETS =
  "/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d".split(" ");

export interface SecretPlaces {
  readonly home: string;
  /** Where Troupe keeps journals and settings: no command reads them. */
  readonly troupeHome: string;
  /** The user's additions; `~/` is the home. */
  readonly denyRead: readonly string[];
  /** Of commands: it can name another directory of the user's settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
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
export function secretPaths({ home, troupeHome, denyRead, env }: SecretPlaces): string[] {
  const { claudeDir, claudeFile } = userPlaces(env, home);
  const ofUser = [".credentials.json", "settings.json", "settings.local.json"];
  return [
    ...new Set([
      ...CREDENTIALS.map((name) => join(home, name)),
      ...[claudeFile, ...ofUser.map((name) => join(claudeDir, name))],
      ...[...SYSTEM_SECRETS, troupeHome, ...namedPaths(denyRead, home)],
    ]),
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

/** Returns how paths are seen, each once. */
export function seenAs(
  as: "write" | "read" | "pinned" | "scratch",
  paths: readonly string[],
): ConfinedView[] {
  return [...new Set(paths)].map((path) => ({ as, path }));
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
