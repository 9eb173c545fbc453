import { join } from "node:path";
import { splitPatterns } from "../../lib/globs.ts";
import { ancestors, isPathInside } from "../../lib/paths.ts";
import type { Files } from "../files.ts";
import { formatProblem } from "../markdown/fields.ts";
import { findMarkdown, type MarkdownDir } from "../markdown/find-markdown.ts";
import { splitFrontMatter } from "../markdown/front-matter.ts";
import type { MemoryPath, MemorySearch } from "./memory-paths.ts";

interface RuleDir extends MarkdownDir {
  readonly scope: "user" | "project";
  readonly ruleOf: string;
}

/** Finds the files of `.claude/rules`: the user's, then the project's from the outside in. */
export function findRules(
  { cwd, homedir, trusted }: Pick<MemorySearch, "cwd" | "homedir" | "trusted">,
  project: string,
  files: Files,
): { readonly paths: readonly MemoryPath[]; readonly notes: readonly string[] } {
  const rules = (scope: RuleDir["scope"], dir: string, ruleOf: string): RuleDir => ({
    ...{ scope, ruleOf, layout: "tree", dir: join(dir, ".claude", "rules") },
    reach: scope === "user" || trusted() ? null : project,
  });
  const dirs = ancestors(cwd).filter((dir) => isPathInside(dir, project) && dir !== homedir);
  const found = findMarkdown(
    [rules("user", homedir, project), ...dirs.toReversed().map((dir) => rules("project", dir, dir))],
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
  const isList = /^paths[ \t]*:\s*\[[^\]]*\]/m;
  const lines = parts.header.replace(isList, (list) => list.replaceAll("\n", " ")).split("\n");
  const at = lines.findIndex((line) => /^paths[ \t]*:/.test(line));
  if (at < 0) return { text: parts.body, paths: null };
  const inline = (lines[at] ?? "").replace(/^paths[ \t]*:/, "");
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => /^[^\s#-]/.test(line));
  const inside = end < 0 ? below : below.slice(0, end);
  const isMapping = /^\s*\{.*:\s.*\}\s*$/.test(inline) || inside.some((line) => /^\s+[^\s#-].*:(?:\s|$)/.test(line));
  if (isMapping)
    return {
      ...{ text: parts.body, paths: null },
      problem: "has paths that are not a list of patterns, so it counts for all files; correct them",
    };
  const items = inside.flatMap((line) => /^\s*-\s+(.*)$/.exec(line)?.[1] ?? []);
  const paths = [inline, ...items].flatMap(patternsIn).slice(0, MAX_PATTERNS);
  return { text: parts.body, paths: paths.length === 0 ? null : paths };
}

/** Without quotes, brackets and comments. */
function patternsIn(value: string): string[] {
  const plain = value.replace(/\s#.*$/, "").trim();
  const bare = /^\[.*\]$/.test(plain) ? plain.slice(1, -1) : plain;
  return splitPatterns(bare)
    .map((one) => one.replace(/^(["'])(.*)\1$/, "$2"))
    .filter(Boolean);
}
