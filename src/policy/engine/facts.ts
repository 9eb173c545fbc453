import { basename, join, resolve } from "node:path";
import { leadsToDirectory } from "../../lib/on-disk.ts";
import { readingUses } from "../shell/command-uses.ts";
import { isSmallName, type ShellPart, type ShellRedirect, type ShellWord } from "../shell/script.ts";
import { printfUses } from "../shell/uses.ts";
import { programName, unwrap } from "../shell/wrappers.ts";
import { isSafeVariable } from "./command-rules.ts";
import type { Whereabouts } from "./directories.ts";
import { holds } from "./path-candidates.ts";

/** Effects of earlier parts of a command line, which may or may not have run, on later ones (§5.9). */
export interface Facts {
  /** Anything may be below these by now. */
  readonly placed: ReadonlySet<string>;
  /** Why nothing counts as reading from here on; null if the shell is unchanged. */
  readonly changedShell: string | null;
  /** Something was created, moved or removed, or a repository was changed. */
  readonly changedGit: boolean;
  /** A name that makes a directory a repository may now exist. */
  readonly madeRepository: boolean;
}

export const NO_FACTS: Facts = {
  placed: new Set(),
  changedShell: null,
  changedGit: false,
  madeRepository: false,
};

/** Names that make a directory a repository, or change what git does in one. */
const REPOSITORY_NAME = /^(?:HEAD|objects|refs|commondir|config|\.git.*)$/i;
const PLACERS: ReadonlySet<string> = new Set(["cp", "mv", "ln", "install", "tar", "unzip", "patch", "rsync"]);
const GIT_CHANGES: ReadonlySet<string> = new Set("init clone config submodule worktree remote".split(" "));
const DECLARES: ReadonlySet<string> = new Set(
  "export declare typeset local readonly read unset getopts".split(" "),
);
/** These change the shell in ways that are not followed here. */
const CHANGES_SHELL: ReadonlySet<string> = new Set(
  "alias eval source . exec trap enable hash shopt set complete mapfile readarray let".split(" "),
);

export function joinFacts(one: Facts, other: Facts): Facts {
  if (other === NO_FACTS) return one;
  if (one === NO_FACTS) return other;
  return {
    placed: new Set([...one.placed, ...other.placed]),
    changedShell: one.changedShell ?? other.changedShell,
    changedGit: one.changedGit || other.changedGit,
    madeRepository: one.madeRepository || other.madeRepository,
  };
}

/** True if an earlier part may have put something at a path, or above it. */
export function isPlaced({ placed }: Facts, paths: readonly string[]): boolean {
  if (placed.size === 0) return false;
  return paths.some((path) => [...placed].some((root) => holds(root, path)));
}

/** Returns the effects of a part. */
export function factsOf(part: ShellPart, at: Whereabouts): Facts {
  const words = unwrap(part.words);
  const name = programName(words[0]);
  const changedShell = shellChange(part, name, words.slice(1));
  const own = ofFiles(name, words, at);
  return joinFacts(
    factsOfRedirects(part.redirects, at),
    changedShell === null ? own : { ...own, changedShell },
  );
}

/** Returns what redirects create: ordinary files. */
export function factsOfRedirects(redirects: readonly ShellRedirect[], at: Whereabouts): Facts {
  const targets = redirects.flatMap((redirect) =>
    redirect.type === "write" || redirect.type === "both" ? [redirect.target] : [],
  );
  const made = targets.filter(({ value }) => value !== "/dev/null");
  return made.length === 0
    ? NO_FACTS
    : changed(
        made.map(({ literal, value }) => (literal ? value : null)),
        at,
        false,
      );
}

function ofFiles(name: string, words: readonly ShellWord[], at: Whereabouts): Facts {
  const rest = words.slice(1);
  const operands = rest.filter(({ value }) => !value.startsWith("-"));
  const names = knownNames(operands);
  if (name === "mkdir" || name === "touch") return changed(names, at, false);
  if (name === "rm" || name === "rmdir" || name === "unlink") return { ...NO_FACTS, changedGit: true };
  if (name === "git" && rest.some(({ value }) => GIT_CHANGES.has(value)))
    return { ...NO_FACTS, changedGit: true };
  if (!PLACERS.has(name)) return NO_FACTS;
  const placed = readingUses(words)?.files?.placed;
  if (!placed) {
    const written = rest.every(({ value }) => !/^(?:-\w*t|--ta)/.test(value));
    if (!written || (name !== "ln" && name !== "install")) return changed([null], at, true);
    return changed([...names.slice(-1), ...into(names.slice(0, -1), names.slice(-1), at)], at, true);
  }
  return changed(into(knownNames(placed.sources), knownNames(placed.into), at), at, true);
}

function knownNames(words: readonly ShellWord[]): readonly (string | null)[] {
  return words.map(({ literal, value }) => (literal ? value : null));
}

/** Returns the names created when files are put into a directory, or replace another. */
function into(
  sources: readonly (string | null)[],
  targets: readonly (string | null)[],
  at: Whereabouts,
): (string | null)[] {
  return targets.flatMap((target) => {
    if (target === null) return [null];
    const isDirectory = at.folders.some((dir) => leadsToDirectory(resolve(dir, target)));
    if (!isDirectory) return [target, ...sources.map((source) => source && join(target, basename(source)))];
    // `cp -a d/. .` copies the contents of `d`, under unknown names.
    return sources.map((source) =>
      source === null || /(?:^|\/)\.{0,2}\/*$/.test(source) ? null : join(target, basename(source)),
    );
  });
}

/** Null among the names is an unknown name. */
function changed(names: readonly (string | null)[], at: Whereabouts, places: boolean): Facts {
  const unknown = names.includes(null) || names.length === 0;
  const known = names.filter((name) => name !== null);
  const paths = known.flatMap((name) => at.folders.map((dir) => resolve(dir, name)));
  return {
    placed: new Set(places ? [...paths, ...(unknown || at.lost ? ["/"] : [])] : []),
    changedShell: null,
    changedGit: true,
    madeRepository:
      unknown || known.some((name) => name.split("/").some((part) => REPOSITORY_NAME.test(part))),
  };
}

function shellChange(part: ShellPart, name: string, rest: readonly ShellWord[]): string | null {
  if (part.kind === "construct") return part.counts ? null : `${part.source.slice(0, 40)} changes the shell`;
  if (CHANGES_SHELL.has(name)) return `${name} changes the shell`;
  if (name === "printf" && printfUses(rest).confined !== null) return "printf may set a variable";
  const names = DECLARES.has(name)
    ? rest.filter(({ value }) => !value.startsWith("-")).map(({ literal, value }) => (literal ? value : "?"))
    : part.words.length === 0
      ? part.assignments.map(({ name }) => name)
      : [];
  const odd = names.find((set) => !isHarmlessName(set.replace(/[=+[].*$/s, "")));
  return odd === undefined ? null : `${odd} is set before it`;
}

function isHarmlessName(name: string): boolean {
  return isSmallName(name) || isSafeVariable(name);
}
