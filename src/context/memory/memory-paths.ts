import { join } from "node:path";
import { splitPatterns } from "../../lib/globs.ts";
import { ancestors, isPathInside } from "../../lib/paths.ts";
import type { Files } from "../files.ts";
import { formatProblem } from "../markdown/fields.ts";
import { findMarkdown, type MarkdownDir } from "../markdown/find-markdown.ts";
import { splitFrontMatter } from "../markdown/read-markdown.ts";

/** Whose memory file it is, from those who speak for all to those who speak for this directory. */
export type MemoryScope = "enterprise" | "user" | "project" | "local";

/** A file that is looked for. */
export interface MemoryPath {
  readonly scope: MemoryScope;
  readonly path: string;
  /** Its imports may lead into this directory, and nowhere else unless the user trusts the project. */
  readonly reach: string;
  /** It is above the project, where other users may have files. */
  readonly above: boolean;
  /** It is a rule: the directory from which its patterns count. */
  readonly ruleOf?: string;
}

/** Where memory is looked for. All directories are absolute. */
export interface MemorySearch {
  readonly cwd: string;
  readonly homedir: string;
  /** The user's own directory of memory and settings. */
  readonly claudeDir: string;
  /** Troupe's own directory. */
  readonly home: string;
  /** The directory of the organization's settings. */
  readonly managed: string;
  /** The user trusts the directory: imports may lead anywhere. */
  readonly trusted: () => boolean;
  /** A rule keeps this file from being read. */
  readonly denied: (path: string) => boolean;
}

/** The files of one directory, a tool's own before the one for all tools. */
const PROJECT: readonly string[] = ["CLAUDE.md", join(".claude", "CLAUDE.md"), "AGENTS.md"];
const LOCAL: readonly string[] = ["CLAUDE.local.md"];

/** Returns the files in the order in which agents see them: the nearest directory and the user's own last. */
export function memoryPaths(
  { cwd, claudeDir, home, managed }: Pick<MemorySearch, "cwd" | "claudeDir" | "home" | "managed">,
  project: string,
): MemoryPath[] {
  const own = (scope: MemoryScope, dir: string, name: string): MemoryPath => ({
    ...{ scope, path: join(dir, name), reach: "/", above: false },
  });
  const below = ancestors(cwd)
    .toReversed()
    .flatMap((dir) => {
      const above = !isPathInside(dir, project);
      return memoryPathsOf(dir, above ? dir : project).map((one) => ({ ...one, above }));
    });
  return [
    own("enterprise", managed, "CLAUDE.md"),
    own("user", claudeDir, "CLAUDE.md"),
    own("user", home, "CLAUDE.md"),
    own("user", home, "AGENTS.md"),
    ...below.filter(({ scope }) => scope === "project"),
    ...below.filter(({ scope }) => scope === "local"),
  ];
}

/** Returns the files of one directory of the project. */
export function memoryPathsOf(dir: string, reach: string): MemoryPath[] {
  const paths = (scope: MemoryScope, names: readonly string[]) =>
    names.map((name) => ({ scope, path: join(dir, name), reach, above: false }));
  return [...paths("project", PROJECT), ...paths("local", LOCAL)];
}

/** Returns the nearest directory with a repository, or the directory itself. */
export function projectOf(cwd: string, files: Files): string {
  return ancestors(cwd).find((dir) => files.look(join(dir, ".git")).type !== "none") ?? cwd;
}

interface RuleDir extends MarkdownDir {
  readonly scope: "user" | "project";
  readonly ruleOf: string;
}

/** Finds the files of `.claude/rules`: the user's, then the project's from the outside in. */
export function findRules(
  { cwd, claudeDir, trusted }: Pick<MemorySearch, "cwd" | "claudeDir" | "trusted">,
  project: string,
  files: Files,
): { readonly paths: readonly MemoryPath[]; readonly notes: readonly string[] } {
  const rules = (scope: RuleDir["scope"], dir: string, ruleOf: string): RuleDir => ({
    ...{ scope, ruleOf, layout: "tree", dir: join(dir, "rules") },
    reach: scope === "user" || trusted() ? null : project,
  });
  const dirs = ancestors(cwd).filter(
    (dir) => isPathInside(dir, project) && join(dir, ".claude") !== claudeDir,
  );
  const found = findMarkdown(
    [
      rules("user", claudeDir, project),
      ...dirs.toReversed().map((dir) => rules("project", join(dir, ".claude"), dir)),
    ],
    files,
  );
  return {
    paths: found.files.map(({ path, of: { scope, ruleOf } }) => ({
      ...{ scope, path, above: false, ruleOf },
      reach: scope === "user" ? "/" : project,
    })),
    notes: found.problems.map(formatProblem),
  };
}

/** A file of rules, without its front matter. */
export interface RuleText {
  readonly text: string;
  /** Patterns of the files it is about; null for all files. */
  readonly paths: readonly string[] | null;
  /** What is wrong with `paths`; it follows the path of the file. */
  readonly problem?: string;
}

const MAX_PATTERNS = 100;

/** Reads `paths` of the front matter however it is written: a word, words with commas between them, or a list. */
export function parseMemoryRule(text: string): RuleText {
  const parts = splitFrontMatter(text);
  if (parts.type !== "parts") return { text, paths: null };
  // The value, with the lines below it that belong to it.
  const [, value = ""] = /^paths[ \t]*:(.*(?:\n(?:[\s#\]-].*)?)*)/m.exec(parts.header) ?? [];
  const isMapping = /^\s*\{.*:\s.*\}\s*$|\n\s+[^\s#-].*:(?:\s|$)/.test(value);
  const problem = "has paths that are not a list of patterns, so it counts for all files; correct them";
  if (isMapping) return { text: parts.body, paths: null, problem };
  const lines = /^\s*\[/.test(value) ? [value.replaceAll("\n", " ")] : value.split("\n");
  const paths = lines.flatMap(patternsIn).slice(0, MAX_PATTERNS);
  return { text: parts.body, paths: paths.length === 0 ? null : paths };
}

/** Without quotes, brackets, comments and the dash of a list. */
function patternsIn(line: string): string[] {
  const plain = line.replace(/(?:^|\s)#.*$|^\s*-\s/g, "").trim();
  const bare = /^\[.*\]$/.test(plain) ? plain.slice(1, -1) : plain;
  return splitPatterns(bare)
    .map((one) => one.replace(/^(["'])(.*)\1$/, "$2"))
    .filter(Boolean);
}
