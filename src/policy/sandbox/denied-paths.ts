import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isPattern } from "../../lib/globs.ts";
import { exists } from "../../lib/on-disk.ts";
import { expandHome } from "../../lib/paths.ts";
import type { ConfinedView } from "../../mailbox/confined.ts";
import { userPlaces } from "../../settings/paths.ts";
import type { Rule } from "../../settings/permissions.ts";
import { engineOf } from "../engine/engine.ts";
import { holds } from "../engine/path-candidates.ts";
import type { SandboxPlace, SandboxSettings } from "./sandbox.ts";

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

type Denied = Pick<SandboxSettings, "denyRead" | "denyWrite">;

/**
 * Returns the deny rules that `denyRead` and `denyWrite` are for the file tools. A directory that contains one of
 * `folders` is left out, as in the sandbox: no agent could work in it.
 */
export function sandboxRules(
  { denyRead = [], denyWrite = [] }: Partial<Denied>,
  home: string,
  folders: readonly string[],
): Rule[] {
  const rulesOf = (tool: string, paths: readonly string[]) =>
    paths
      .map((path) => fromHome(path, home))
      .filter((path) => isPattern(path) || !folders.some((one) => holds(path, one)))
      .map((path): Rule => ({ text: `${tool}(/${path})`, behaviour: "deny", scope: "library" }));
  return [...rulesOf("Read", denyRead), ...rulesOf("Edit", denyWrite)];
}

/** What the patterns of `denyRead` and `denyWrite` are for a command. */
export interface DeniedPatterns {
  readonly rules: readonly Rule[];
  hides(path: string): boolean;
  keeps(path: string): boolean;
}

/** Returns the patterns for a command in this place, or null if no path is one. */
export function deniedPatterns(
  { denyRead, denyWrite }: Denied,
  { writable: [root = "/"], twin }: SandboxPlace,
  home: string,
): DeniedPatterns | null {
  const patterns = { denyRead: denyRead.filter(isPattern), denyWrite: denyWrite.filter(isPattern) };
  const rules = sandboxRules(patterns, home, []);
  if (rules.length === 0) return null;
  const anchors = { projectRoot: root, home, platform: process.platform };
  const engine = engineOf(rules, twin === undefined ? anchors : { ...anchors, twin });
  return { rules, hides: engine.hides(root), keeps: engine.keeps(root) };
}

/** Returns why a pattern of `denyRead` cannot hold for commands, or null: a search of the whole disk takes minutes. */
export function tooWidePattern(denyRead: readonly string[], home: string): string | null {
  const wide = denyRead.find((path) => isPattern(path) && /^\/+[^/]*[*?[{]/.test(fromHome(path, home)));
  return wide === undefined
    ? null
    : `the pattern ${wide} in denyRead of the sandbox is about the whole disk, which takes too long to search before each command; begin it with a directory, such as ~/**/*.pem`;
}
