import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { leadsToDirectory } from "../../lib/on-disk.ts";
import type { CallPaths } from "./call-paths.ts";
import { holds } from "./path-candidates.ts";

/** Bash runs these itself and searches no program. */
const BUILTINS: ReadonlySet<string> = new Set(
  "cd echo printf test [ pwd type command true false builtin time times : read".split(" "),
);

/** Finds out whether a name runs a program of the workspace, which a repository could provide. */
export class ProgramPath {
  readonly #paths: CallPaths;
  readonly #dirs: readonly string[];
  /** Relative entries depend on the working directory. */
  readonly #suspect: readonly string[];
  readonly #known = new Map<string, string | null>();

  constructor(paths: CallPaths, path = process.env["PATH"] ?? "") {
    this.#paths = paths;
    this.#dirs = path.split(":");
    const roots = paths.ofRepository;
    this.#suspect = this.#dirs.filter(
      (dir) => !isAbsolute(dir) || roots.some((root) => holds(root, dir.includes("/.") ? resolve(dir) : dir)),
    );
  }

  /** Returns why a name needs a question; a fast check by PATH alone. */
  quickProblem(name: string): string | null {
    if (this.#suspect.length === 0 || BUILTINS.has(name)) return null;
    const found = this.#suspect.some((dir) => !isAbsolute(dir) || isProgram(join(dir, name)));
    return found ? `PATH leads to a ${name} in the workspace` : null;
  }

  /** The same with links followed; null if there is no such program, because then nothing runs. */
  problem(name: string): string | null {
    if (BUILTINS.has(name) || name.includes("/")) return null;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.quickProblem(name) ?? this.#linkProblem(name);
    this.#known.set(name, found);
    return found;
  }

  #linkProblem(name: string): string | null {
    const dir = this.#dirs.find((one) => isProgram(join(one, name)));
    if (dir === undefined) return this.#dirs.some(leadsToDirectory) ? null : `PATH leads to no ${name}`;
    const file = join(dir, name);
    return this.#paths.isOfRepository(realpathSync.native(file)) ? `${file} leads into the workspace` : null;
  }
}

function isProgram(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // It is unreadable, so it cannot be started either.
    return false;
  }
}
