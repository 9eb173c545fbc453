import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { holds } from "./path-candidates.ts";

/** What bash does itself, so that no program is looked for. */
const BUILTINS: ReadonlySet<string> = new Set(
  "cd echo printf test [ pwd type command true false builtin time times : read".split(" "),
);

/**
 * Why the program that a name stands for may not be trusted: the PATH leads into the workspace, where a repository puts
 * it. Null: it is outside, or there is none, and then nothing runs.
 */
export function programProblem(
  name: string,
  workspace: readonly string[],
  path = process.env["PATH"],
): string | null {
  if (BUILTINS.has(name) || name.includes("/")) return null;
  const dirs = (path ?? "").split(":");
  for (const dir of dirs) {
    // A relative entry is where the command runs, which is the workspace.
    const within = !isAbsolute(dir) || workspace.some((root) => holds(root, resolve(dir)));
    const file = join(isAbsolute(dir) ? dir : (workspace[0] ?? "/"), name);
    const found = isProgram(file);
    if (within && (found || !isAbsolute(dir))) return `PATH leads to a ${name} in the workspace`;
    if (!found) continue;
    return workspace.some((root) => holds(root, realpathSync.native(file)))
      ? `${file} leads into the workspace`
      : null;
  }
  return dirs.some((dir) => statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    ? null
    : `PATH leads to no ${name}`;
}

function isProgram(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // It may not be looked at, so it cannot be started either.
    return false;
  }
}
