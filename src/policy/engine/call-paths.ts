import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isDirectory, leadsToDirectory } from "../../lib/on-disk.ts";
import { type Candidates, candidatesOf, holds } from "./path-candidates.ts";
import type { Anchor } from "./path-pattern.ts";
import { bothOf, isIn, type ResolvedAnchors, twinOf } from "./place.ts";

/** Returns what a map has for a key, and puts it there first if need be. */
export function cached<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Where the paths of one call are, and the directories that rules and the workspace begin in: reads the disk once for each. */
export class CallPaths {
  readonly #place: ResolvedAnchors;
  readonly #cwd: string;
  readonly #candidates = new Map<string, Candidates>();
  readonly #reals = new Map<string, string>();
  readonly #both = new Map<string, readonly string[]>();
  readonly #anchors = new Map<Anchor, readonly string[]>();
  readonly #wideAnchors = new Map<Anchor, readonly string[]>();
  #workspace: readonly string[] | null = null;
  #readable: readonly string[] | null = null;

  constructor(place: ResolvedAnchors, cwd: string) {
    this.#place = place;
    this.#cwd = cwd;
  }

  /** `folder` is the base of a relative path. */
  candidatesOf(path: string, folder: string): Candidates {
    return cached(this.#candidates, `${folder}\0${path}`, () =>
      candidatesOf(path, folder, this.#place.home, this.#reals),
    );
  }

  /** The directories of the workspace as they are named. */
  get workspace(): readonly string[] {
    return [this.#cwd, ...this.#place.workspace];
  }

  /** The same with the checkout of a worktree, into which edits are merged: where a repository's programs may be. */
  get ofRepository(): readonly string[] {
    const { twin } = this.#place;
    return twin === null ? this.workspace : [...this.workspace, twin.checkout];
  }

  /** True if a real path is in one of them. */
  isOfRepository(path: string): boolean {
    const { twin } = this.#place;
    return this.isWithin(path) || (twin !== null && isIn(this.#bothOf(twin.checkout), path));
  }

  /** True if a real path is in the workspace. */
  isWithin(path: string): boolean {
    return isIn(this.#workspaceRoots(), path);
  }

  isDirectory(path: string, folder: string): boolean {
    return this.candidatesOf(path, folder).paths.some(isDirectory);
  }

  isInside(path: string, folder: string): boolean {
    return this.candidatesOf(path, folder).paths.every((one) => this.isWithin(one));
  }

  mayBeRead(path: string): boolean {
    if (this.isWithin(path)) return true;
    this.#readable ??= this.#place.readable.flatMap((folder) => this.#bothOf(folder));
    return isIn(this.#readable, path);
  }

  /** Returns the path relative to an anchor and to the anchor's real path. */
  below(anchor: Anchor, path: string, wide: boolean): string[] {
    const fold = wide && this.#place.darwin;
    const looked = fold ? path.normalize("NFC") : path;
    const compared = fold ? looked.toLowerCase() : looked;
    return this.directoriesOf(anchor, wide).flatMap((folder) => {
      const base = fold ? folder.normalize("NFC").toLowerCase() : folder;
      if (!holds(base, compared)) return [];
      return [folder === "/" ? looked.slice(1) : looked.slice(base.length + 1)];
    });
  }

  /** Deny and ask rules, read wide, also start in the checkout of a worktree. */
  directoriesOf(anchor: Anchor, wide: boolean): readonly string[] {
    return cached(wide ? this.#wideAnchors : this.#anchors, anchor, () => {
      const own = this.#folder(anchor);
      return (wide ? this.twins([own]) : [own]).flatMap((one) => this.#bothOf(one));
    });
  }

  /** Adds the counterparts in the checkout of a worktree: what is forbidden there is forbidden here. */
  twins(paths: readonly string[]): readonly string[] {
    const { twin } = this.#place;
    if (twin === null) return paths;
    const there = paths.map((path) => twinOf(twin, path)).filter((path) => path !== null);
    return [...new Set([...paths, ...there, ...there.flatMap((one) => this.#bothOf(one))])];
  }

  #folder(anchor: Anchor): string {
    const { home, projectRoot, configFolder } = this.#place;
    switch (anchor) {
      case "root":
        return "/";
      case "home":
        return home;
      case "project":
        return projectRoot;
      case "config":
        return configFolder;
      case "cwd":
        return this.#cwd;
      default:
        return anchor satisfies never;
    }
  }

  reaches(anchor: Anchor, fixed: string | null, prefix: string): boolean {
    return this.directoriesOf(anchor, true).some((folder) => {
      const start = folder === "/" ? "/" : `${folder}/`;
      // A denied name at any depth can be in every directory, unless the prefix leads out of the anchor.
      if (fixed === null) return prefix.startsWith(start) || start.startsWith(prefix);
      const whole = `${start}${fixed}`;
      const below = prefix === "/" ? "/" : `${prefix}/`;
      return `${whole}/`.startsWith(below) || prefix.startsWith(whole);
    });
  }

  #bothOf(folder: string): readonly string[] {
    return cached(this.#both, folder, () => bothOf(folder, this.#reals));
  }

  #workspaceRoots(): readonly string[] {
    this.#workspace ??= [...new Set([this.#cwd, ...this.#place.workspace])].flatMap((folder) =>
      this.#bothOf(folder),
    );
    return this.#workspace;
  }
}

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
