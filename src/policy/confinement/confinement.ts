import { resolve } from "node:path";
import type { Access } from "../../mailbox/calls.ts";
import { holds, realOf } from "../engine/path-candidates.ts";
import { readGit } from "../shell/git-uses.ts";
import { readRepository } from "../trust/git-repository.ts";
import { type Effect, effectsOf } from "./effects.ts";
import { sharedByGit } from "./git-shared.ts";
import { confinedPlaces, isStale, landsOf, type Places, wouldBeMade } from "./places.ts";
import type { Enclosure } from "./write-scope.ts";

/** What confinement needs to know of a call. */
export interface ConfinedCall {
  /** The text of a call that runs a command; null for all others. */
  readonly command: string | null;
  /** What the call says that it touches. */
  readonly accesses: readonly Access[];
  /** The input of a tool that is not built in: absolute paths in it may be read, written, or no paths at all. */
  readonly unknownInput?: unknown;
  readonly cwd: string;
}

/**
 * Returns why an actor in a worktree may not make a call: it would leave the worktree (issue 6, point 2). A sentence
 * that names the right path or the right way; null if nothing forbids it. No rule, mode, hook or user lifts it: the
 * promise is that the checkout does not change until edits are merged.
 */
export interface Confinement {
  refuses(call: ConfinedCall, tree: Enclosure): string | null;
}

/** Worktrees whose paths are cached; more at a time are read again. */
const MOST_TREES = 256;

export function confinement(home: string): Confinement {
  const known = new Map<string, Places>();
  const placesFor = (tree: Enclosure): Places => {
    const key = `${tree.path}\0${tree.checkout}\0${tree.common ?? ""}`;
    const places = known.get(key) ?? confinedPlaces(tree);
    if (!known.has(key) && known.size >= MOST_TREES) known.clear();
    known.set(key, places);
    return places;
  };
  return {
    refuses({ command, accesses, unknownInput, cwd }, tree) {
      const judge = new Judge(tree, placesFor(tree), home);
      const touched = accesses.flatMap(({ kind, target }): Effect[] =>
        kind === "read" || kind === "write" ? [{ type: kind, path: target, folders: [cwd] }] : [],
      );
      const named = textsIn(unknownInput).flatMap((text): Effect[] => {
        const path = text.replace(/^file:\/\/(?=\/)/, "");
        return path.startsWith("/") ? [{ type: "named", path, folders: [cwd] }] : [];
      });
      const run = command === null ? [] : effectsOf(command, cwd, home);
      const effects = [...touched, ...named, ...run];
      return first(effects, (effect) => judge.effect(effect));
    },
  };
}

class Judge {
  readonly #tree: Enclosure;
  readonly #places: Places;
  readonly #home: string;

  constructor(tree: Enclosure, places: Places, home: string) {
    this.#tree = tree;
    this.#places = places;
    this.#home = home;
  }

  effect(effect: Effect): string | null {
    switch (effect.type) {
      case "write":
        return first(effect.folders, (folder) => this.#write(effect.path, folder));
      case "read":
        return first(spellings(effect), ([path, folder]) => this.#read(path, folder));
      case "move":
        return first(effect.folders, (folder) => this.#move(effect.path, folder));
      case "named":
        return first(spellings(effect), ([path, folder]) => this.#named(path, folder));
      case "program":
        return first(this.#pathsIn(effect.text), (path) => this.#named(path, "/"));
      case "steer":
        return first(effect.folders, (folder) => this.#steer(effect.name, effect.value, folder));
      case "git":
        return first(effect.folders, (folder) => this.#git(effect, folder));
      default:
        return effect satisfies never;
    }
  }

  #write(written: string, folder: string): string | null {
    return first(landsOf(this.#places, written, folder, this.#home), ({ path, land }) => {
      if (land.type === "git" || land.type === "link")
        return `${path} is git's own, and all worktrees of the repository depend on it. Nothing but git writes there: use git's commands in ${this.#tree.path}.`;
      if (!("counterpart" in land)) return null;
      return this.#isOwnName(written, folder)
        ? `${written} is a link to ${path}, which ${WHOSE[land.type]}. Nothing outside of your worktree, ${this.#tree.path}, is written: put a file of your own in the link's place if you need one.`
        : `${path} ${WHOSE[land.type]}. You work in a worktree of your own: write ${land.counterpart}; your edits are merged when you end.`;
    });
  }

  #read(written: string, folder: string): string | null {
    return first(landsOf(this.#places, written, folder, this.#home), ({ path, land }) => {
      if (!("counterpart" in land)) return null;
      const { type, counterpart } = land;
      if (type === "checkout" && !isStale(path, counterpart)) return null;
      const why =
        type === "checkout"
          ? "which others change at the same time"
          : "and agents do not see each other's work";
      return `${path} ${WHOSE[type]}, ${why}. You work in a worktree of your own: read ${counterpart}.`;
    });
  }

  #move(to: string, folder: string): string | null {
    const path = resolve(folder, to);
    // A path through a link of the worktree is in the worktree, by its name.
    for (const place of this.#isOwnName(to, folder) ? [path] : [path, realOf(path)]) {
      const land = this.#places.of(place);
      if ("counterpart" in land)
        return `${place} ${WHOSE[land.type]}. You work in a worktree of your own: stay in it, in ${land.counterpart}.`;
      if (land.type === "git")
        return `${place} is git's own, and no place to work in. Stay in your worktree, ${this.#tree.path}.`;
    }
    return null;
  }

  /** Refuses a path of an unknown command if the worktree has its counterpart, or would get it. */
  #named(written: string, folder: string): string | null {
    return first(landsOf(this.#places, written, folder, this.#home), ({ path, land }) => {
      if (land.type === "git")
        return `${path} is git's own, and all worktrees of the repository depend on it. Use git's commands in ${this.#tree.path} instead.`;
      if (!("counterpart" in land)) return null;
      const { type, counterpart } = land;
      return type !== "checkout" || isStale(path, counterpart) || wouldBeMade(path, counterpart)
        ? `${path} ${WHOSE[type]}. You work in a worktree of your own: use ${counterpart}; your edits are merged when you end.`
        : null;
    });
  }

  #steer(name: string, value: string | null, folder: string): string | null {
    const lands = value === null ? [] : landsOf(this.#places, value, folder, this.#home);
    if (value !== null && !lands.some(({ land }) => !["own", "link", "elsewhere"].includes(land.type)))
      return null;
    return `${name} would point git out of your worktree. Leave it out: git finds its repository from ${this.#tree.path} by itself.`;
  }

  #git({ words }: Extract<Effect, { type: "git" }>, folder: string): string | null {
    const call = readGit(words);
    let at = folder;
    for (const { value } of call.valuesFor("C")) {
      at = resolve(at, value);
      const left = this.#move(at, "/");
      if (left !== null) return left;
    }
    const steered = first(["git-dir", "work-tree"], (name) => {
      // Null for a value that is not known.
      const values = call.valuesFor(name).map(({ literal, value }) => (literal ? value : null));
      return first(values, (value) => this.#steer(`--${name}`, value, at));
    });
    if (steered !== null) return steered;
    if (!this.#isOfThisRepository(at)) return null;
    const [subcommand, ...rest] = call.operands;
    if (subcommand?.value === "init" && rest.every(({ value }) => value.startsWith("-")))
      return at === this.#tree.path
        ? "Your worktree is a repository already. Give git init the directory of a new one."
        : null;
    return sharedByGit(call, this.#tree.branch);
  }

  /** In other repositories, also inside the worktree, git is not restricted. */
  #isOfThisRepository(folder: string): boolean {
    if (this.#places.of(folder).type === "elsewhere") return false;
    const { path } = this.#tree;
    for (let at = folder; at !== path && holds(path, at); at = resolve(at, "..")) {
      if (readRepository(resolve(at, ".git")) !== null) return false;
    }
    return true;
  }

  /** True if a path is in the worktree by its name, wherever its links lead. */
  #isOwnName(written: string, folder: string): boolean {
    return this.#places.of(resolve(folder, written)).type === "own";
  }

  /** Returns paths in a program that start with the checkout's. */
  #pathsIn(text: string): readonly string[] {
    const { checkout } = this.#tree;
    const found: string[] = [];
    for (let at = text.indexOf(checkout); at >= 0; at = text.indexOf(checkout, at + 1)) {
      const [rest = ""] = /^[^\s'"`;,|&<>(){}[\]\\]*/.exec(text.slice(at + checkout.length)) ?? [];
      // `/repository` is not in `/repo`.
      if (rest === "" || rest.startsWith("/")) found.push(`${checkout}${rest.replace(/[.:]+$/, "")}`);
    }
    return found;
  }
}

const WHOSE = {
  checkout: "belongs to the main checkout",
  tree: "belongs to another agent's worktree",
  trees: "holds the worktrees of other agents",
} as const;

/** Deeper values are not searched: no tool has its paths there. */
const DEPTH = 8;

function textsIn(input: unknown, depth = 0): readonly string[] {
  if (typeof input === "string") return [input];
  if (typeof input !== "object" || input === null || depth > DEPTH) return [];
  return Object.values(input).flatMap((value: unknown) => textsIn(value, depth + 1));
}

/**
 * Returns a path as written, and up to the directory before its first wildcard, in each directory that it may be
 * relative to.
 */
function spellings({ path, folders }: { readonly path: string; readonly folders: readonly string[] }) {
  const wild = path.search(/[*?[{]/);
  const fixed = wild < 0 ? [] : [path.slice(0, path.lastIndexOf("/", wild) + 1) || "."];
  return folders.flatMap((folder) => [path, ...fixed].map((one) => [one, folder] as const));
}

function first<T>(all: readonly T[], judged: (one: T) => string | null): string | null {
  for (const one of all) {
    const found = judged(one);
    if (found !== null) return found;
  }
  return null;
}
