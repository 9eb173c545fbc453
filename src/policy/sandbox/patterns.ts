import { isPattern } from "../../lib/globs.ts";
import type { Rule } from "../../settings/permissions.ts";
import { engineOf } from "../engine/engine.ts";
import { holds } from "../engine/path-candidates.ts";
import { fromHome } from "./denied-paths.ts";
import type { SandboxPlace, SandboxSettings } from "./sandbox.ts";

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
