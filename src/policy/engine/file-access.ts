import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour, PermissionMode, Rule } from "../../settings/permissions.ts";
import { protectedName } from "../protected-paths.ts";
import { readingUses } from "../shell/command-uses.ts";
import type { Piece, ShellRedirect, ShellWord } from "../shell/script.ts";
import type { Uses } from "../shell/uses.ts";
import { CallPaths, cached } from "./call-paths.ts";
import { findsDenied } from "./glob-reach.ts";
import { holds, realOf } from "./path-candidates.ts";
import type { Anchor } from "./path-pattern.ts";
import { bothOf, type ResolvedAnchors } from "./place.ts";
import type { BoundRule, RuleBook } from "./rule-book.ts";
import { EDITORS, READERS } from "./tool-table.ts";

export type Books = Readonly<Record<Behaviour, RuleBook>>;

/** What the rules and the mode say about one file. */
export interface FileVerdict {
  readonly deny: Rule | null;
  readonly ask: Rule | null;
  /** The protected name that a write would touch (§4.4). */
  readonly protects: string | null;
  /** Why only bypass allows it. */
  readonly odd: string | null;
  readonly inside: boolean;
  /** The rule that allows it, if one is needed. */
  readonly allow: Rule | null;
  /** True if it may be accessed without a question, protection and oddity included. */
  readonly allowed: boolean;
  readonly paths: readonly string[];
}

/** The limit of link targets of a directory; beyond it they count as outside. */
const MOST_PLACES = 100;

export type FileUse = "read" | "edit";

/** Returns what a redirect does to its target. */
export function operationsOf({ type }: Exclude<ShellRedirect, { type: "unknown" }>): readonly FileUse[] {
  return type === "both" ? ["edit", "read"] : [type === "read" ? "read" : "edit"];
}

/** What rules and mode say about files, for one call; caches what does not change during the call. */
export class FileAccess {
  readonly books: Books;
  readonly mode: PermissionMode;
  readonly cwd: string;
  readonly place: ResolvedAnchors;
  readonly paths: CallPaths;
  readonly #verdicts = new Map<string, FileVerdict>();
  readonly #restricted = new Map<string, readonly Rule[]>();
  readonly #relevant = new Map<string, readonly BoundRule[]>();
  readonly #uses = new Map<readonly ShellWord[], Uses | null>();
  #restrict: readonly BoundRule[] | null = null;

  constructor(books: Books, place: ResolvedAnchors, mode: PermissionMode, cwd: string) {
    this.books = books;
    this.mode = mode;
    this.cwd = cwd;
    this.place = place;
    this.paths = new CallPaths(place, cwd);
  }

  /** The reads and writes of a command, cached because deny and allow checks both need them. */
  usesOf(words: readonly ShellWord[]): Uses | null {
    return cached(this.#uses, words, () => readingUses(words));
  }

  /** `folder` is the base of a relative path; `tool` is the calling tool, if it is not a command. */
  judge(
    operation: FileUse,
    path: string,
    folder: string,
    tool = operation === "read" ? "Read" : "Edit",
  ): FileVerdict {
    const key = `${operation}\0${tool}\0${folder}\0${path}`;
    return cached(this.#verdicts, key, () => this.#judge(operation, tool, path, folder));
  }

  #judge(operation: FileUse, tool: string, path: string, folder: string): FileVerdict {
    const { paths, odd } = this.paths.candidatesOf(path, folder);
    const inside = this.paths.isInside(path, folder);
    const editsInside = this.mode === "acceptEdits" && inside;
    const known = (one: string) => (operation === "read" ? this.paths.mayBeRead(one) : editsInside);
    const allows = this.#rules("allow", operation, tool);
    const byRule = paths.map((one) => (known(one) ? null : (this.#match(allows, one, false) ?? "nothing")));
    const protects = operation === "edit" ? this.protectedName(paths) : null;
    return {
      deny: this.#any("deny", operation, tool, paths),
      ask: this.#any("ask", operation, tool, paths),
      protects,
      odd,
      inside,
      allow: (byRule.find((found) => found !== null && found !== "nothing") as Rule | undefined) ?? null,
      allowed: odd === null && protects === null && !byRule.includes("nothing"),
      paths,
    };
  }

  /** True if reading a path is denied, or needs a question. */
  denies(path: string, folder: string, asks?: "asks-too"): boolean {
    const { paths } = this.paths.candidatesOf(path, folder);
    if (this.#any("deny", "read", "Read", paths) !== null) return true;
    return asks !== undefined && this.#any("ask", "read", "Read", paths) !== null;
  }

  /** Returns deny and ask rules that can match a directory or something below it; wide. */
  restrictionsBelow(dir: string): readonly Rule[] {
    return cached(this.#restricted, dir, () => this.#findRestrictionsBelow(dir));
  }

  #findRestrictionsBelow(dir: string): readonly Rule[] {
    const dirs = this.paths.twins(this.paths.candidatesOf(dir, dir).paths);
    const found = this.#restrictions().filter(
      ({ patterns }) =>
        patterns === null ||
        patterns.some(({ anchor, fixed }) => dirs.some((one) => this.paths.reaches(anchor, fixed, one))),
    );
    return found.map(({ rule }) => rule);
  }

  /** Returns a rule that restricts reading something at a path or below it, or null. */
  findRestricted(path: string): Rule | null {
    if (this.restrictionsBelow(path).length === 0) return null;
    const rules = this.#restrictions();
    let found: Rule | null = null;
    const looked = lookBelow(path, (one) => {
      for (const way of this.paths.twins([one])) found ??= this.#match(rules, way, true);
      return found !== null;
    });
    // What could not be searched counts as found.
    return looked ? (found ?? rules[0]?.rule ?? null) : null;
  }

  /** True if a link found in a directory leads out of the workspace. */
  leadsOut(dir: string): boolean {
    if (!this.paths.isInside(dir, dir)) return true;
    // The target of a link may contain more links.
    const places = new Set([realOf(dir)]);
    for (const place of places) {
      const found = lookBelow(place, (path, entry) => {
        if (!entry?.isSymbolicLink()) return false;
        places.add(realOf(path));
        return places.size > MOST_PLACES || !this.paths.isInside(path, place);
      });
      if (found) return true;
    }
    return false;
  }

  /** True if no deny or ask rule matches a path, or can match anything `below` it. */
  isFreeOfRules(path: string, below: boolean): boolean {
    const { deny, ask } = this.judge("read", path, this.cwd);
    if (deny ?? ask) return false;
    return !below || isFile(path) || this.restrictionsBelow(path).length === 0;
  }

  /** True if a word with wildcards may name a file that a deny or ask rule restricts. */
  globRestricted(pieces: readonly Piece[], folders: readonly string[]): boolean {
    const [head, ...rest] = pieces;
    // An absolute word can only match below its literal directory.
    const words =
      head?.type === "text"
        ? this.paths.twins([head.text]).map((text) => [{ ...head, text }, ...rest])
        : [pieces];
    const places = this.paths.twins(folders);
    return this.#restrictions().some(({ patterns }) =>
      patterns === null
        ? true
        : patterns.some((pattern) =>
            words.some((word) =>
              findsDenied(word, places, pattern, this.paths.directoriesOf(pattern.anchor, true)),
            ),
          ),
    );
  }

  get restrictsReading(): boolean {
    return this.#restrictions().length > 0;
  }

  protectedName(paths: readonly string[]): string | null {
    const { configDir, configFolder } = this.place;
    const own = configDir.startsWith("/") ? bothOf(configFolder) : null;
    for (const path of paths) {
      const name = protectedName(path);
      if (name !== null) return name;
      if (configDir === ".claude") continue;
      const below =
        own?.flatMap((folder) => (holds(folder, path) ? [path.slice(folder.length + 1)] : [])) ??
        belowName(path, configDir);
      // A worktree is an ordinary checkout, with its own settings directory.
      if (below.some((rest) => !/^worktrees\/+./i.test(rest))) return configDir;
    }
    return null;
  }

  #restrictions(): readonly BoundRule[] {
    this.#restrict ??= [...this.#rules("deny", "read", "Read"), ...this.#rules("ask", "read", "Read")];
    return this.#restrict;
  }

  #rules(behaviour: Behaviour, operation: FileUse, tool: string): readonly BoundRule[] {
    const key = `${behaviour} ${operation} ${tool}`;
    return cached(this.#relevant, key, () => relevant(this.books[behaviour], operation, tool, behaviour));
  }

  #any(behaviour: "deny" | "ask", operation: FileUse, tool: string, paths: readonly string[]): Rule | null {
    const rules = this.#rules(behaviour, operation, tool);
    if (rules.length === 0) return null;
    for (const path of this.paths.twins(paths)) {
      const found = this.#match(rules, path, true);
      if (found) return found;
    }
    return null;
  }

  #match(rules: readonly BoundRule[], path: string, wide: boolean): Rule | null {
    if (rules.length === 0) return null;
    const below = new Map<Anchor, readonly string[]>();
    const found = rules.find(({ patterns }) =>
      patterns === null
        ? true
        : patterns.some(({ anchor, expression }) => {
            const names = cached(below, anchor, () => this.paths.below(anchor, path, wide));
            return names.some((name) => expression.test(name));
          }),
    );
    return found?.rule ?? null;
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function relevant(
  book: RuleBook,
  operation: FileUse,
  tool: string,
  behaviour: Behaviour,
): readonly BoundRule[] {
  return book.paths.filter(({ tool: named }) => {
    if (operation === "read") return named === "Read" || (READERS.has(named) && named === tool);
    if (behaviour === "deny" && named === "Read") return true;
    if (!EDITORS.has(named)) return false;
    if (named === "Edit" || named === tool) return true;
    // A path denied to one editing tool is denied to all (§4.5).
    return behaviour !== "allow";
  });
}

/** Returns what follows each occurrence of a directory's name in a path, ignoring case. */
function belowName(path: string, name: string): string[] {
  const names = path.toLowerCase().split("/");
  const sought = name.toLowerCase().split("/").filter(Boolean);
  return names.flatMap((_, i) =>
    sought.every((one, j) => names[i + j]?.replace(/[. ]+$/, "") === one)
      ? [names.slice(i + sought.length).join("/")]
      : [],
  );
}

/** The limit of entries for a search; with more, the target counts as found (§4.6). */
const MOST_ENTRIES = 1_000;

/**
 * Returns whether a directory or something below it matches; does not follow links, and counts what cannot be listed.
 */
export function lookBelow(dir: string, isFound: (path: string, entry: Dirent | null) => boolean): boolean {
  const start = lstatSync(dir, { throwIfNoEntry: false });
  if (start === undefined) return false;
  if (isFound(dir, null)) return true;
  if (!start.isDirectory()) return false;
  const pending = [dir];
  let looked = 0;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    let entries: Dirent[];
    try {
      entries = readdirSync(at, { withFileTypes: true });
    } catch {
      return true;
    }
    for (const entry of entries) {
      looked += 1;
      if (looked > MOST_ENTRIES) return true;
      const path = join(at, entry.name);
      if (isFound(path, entry)) return true;
      if (entry.isDirectory()) pending.push(path);
    }
  }
  return false;
}
