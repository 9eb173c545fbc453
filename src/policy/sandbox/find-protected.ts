import { basename, dirname, join } from "node:path";
import { exists, isDirectory, listNames } from "../../lib/on-disk.ts";
import type { ConfinedView } from "../../mailbox/confined.ts";
import { holds, realOf } from "../engine/path-candidates.ts";
import { protectedName, protectedNames } from "../protected-paths.ts";
import { realOrNull, seenAs } from "./denied-paths.ts";
import { findNames } from "./find-names.ts";
import type { Run } from "./probe.ts";

/** Every one costs a mount. */
export const MOST_HELD = 500;

/** What turns a repository's own directory into something that runs programs, or into part of another repository. */
const OF_REPOSITORY = "hooks config config.worktree info/attributes objects/info/alternates commondir".split(
  " ",
);

/** Protected names that a command may not leave behind at the top of a directory that it can write. */
const NEVER_MADE = [
  ".claude .troupe .vscode .idea .husky .devcontainer .mcp.json .envrc",
  ".bashrc .bash_profile .profile .zshrc .zprofile",
].flatMap((line) => line.split(" "));

/** What is protected in directories that a command can write. */
interface Protected {
  /** How existing paths are protected; the directories on the way to them keep their names. */
  readonly seen: readonly ConfinedView[];
  /** What does not exist, and must not once the command has ended. */
  readonly absent: readonly string[];
}

/**
 * Finds the protected paths (permission-semantics 4.4); returns null if they cannot all be protected. Skips installed
 * packages. `own`: the user's directory of settings, which need not have a protected name.
 */
export async function findProtected(
  roots: readonly string[],
  own: string,
  run: Run,
  program: string | null,
): Promise<Protected | null> {
  const found =
    program === null
      ? null
      : await findNames({
          ...{ roots, run, program, except: ["-path", "*/.git/*", "-o", "-name", "node_modules"] },
          tests: protectedNames().map((name) => ["-iname", name]),
        });
  if (found === null) return null;
  const held: string[] = roots.flatMap((root) =>
    isRepository(root) ? ofRepository(root) : NEVER_MADE.map((name) => join(root, name)),
  );
  for (const path of [own, realOf(own)])
    if (roots.some((root) => root !== path && holds(root, path))) held.push(path);
  for (const path of found.paths) {
    const root = roots.find((one) => holds(one, path)) ?? "";
    // The path of the root itself is not checked: a worktree in .claude/worktrees is an ordinary checkout.
    const below = path.slice(root.length);
    if (protectedName(below) === null) continue;
    if (held.some((outer) => holds(outer, path))) continue;
    held.push(...(basename(path) === ".git" && isDirectory(path) ? ofRepository(path) : [path]));
  }
  // A command could give itself the right to what its user owns.
  const real = [...held, ...found.closed].flatMap((path) => realOrNull(path) ?? []);
  if (real.length > MOST_HELD) return null;
  return {
    seen: [
      ...seenAs("read", real),
      ...seenAs(
        "pinned",
        real.flatMap((path) => between(path, roots)),
      ),
    ],
    absent: held.filter((path) => !exists(path)),
  };
}

/** The directories between a path and its root: renamed, they would take the mount with them. */
export function between(path: string, roots: readonly string[]): string[] {
  const above = dirname(path);
  if (roots.includes(above) || !roots.some((root) => holds(root, above))) return [];
  return [above, ...between(above, roots)];
}

/** Git itself must write objects, refs and the index. Submodules have theirs below the repository. */
function ofRepository(directory: string): string[] {
  const modules = join(directory, "modules");
  return [directory, ...listNames(modules).map((name) => join(modules, name))].flatMap((each) =>
    OF_REPOSITORY.map((name) => join(each, name)),
  );
}

function isRepository(directory: string): boolean {
  return isDirectory(join(directory, "objects")) && exists(join(directory, "HEAD"));
}
