import { homedir } from "node:os";
import type { Clock } from "../../lib/clock.ts";
import type { WriteScope } from "../../policy/confinement/write-scope.ts";
import { placeOf } from "../../policy/engine/place.ts";
import { parseRule } from "../../policy/engine/rule-syntax.ts";
import { EDITORS, READERS } from "../../policy/engine/tool-table.ts";
import type { JudgeContext } from "../../policy/judgement.ts";
import { userPlaces } from "../../settings/paths.ts";
import type { Rule } from "../../settings/permissions.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";

type EverTracked = NonNullable<JudgeContext["everTracked"]>;

/** Finds out what a command's git could show; undefined if that need not or cannot be known. Never rejects. */
export type LookUpTracked = (
  command: string,
  where: { readonly cwd: string; readonly scope: WriteScope },
) => Promise<EverTracked | undefined>;

/** A long history takes several lookups, one for each command. */
const PATIENCE_MS = 5_000;
/** The pattern of a bare rule. */
const ALL = "**";

export interface TrackedParts {
  readonly worktrees: Pick<Worktrees, "everTracked">;
  readonly clock: Clock;
  /** Returns the rules in force for an actor with this write scope. */
  rules(scope: WriteScope): readonly Rule[];
  /** Returns what git would run there without the user's trust; then git is not run at all. */
  foreignGit(dir: string): string | null;
}

export function trackedLookUp({ worktrees, clock, rules, foreignGit }: TrackedParts): LookUpTracked {
  return async (command, { cwd, scope }) => {
    if (!mayStartGit(command) || mayGoElsewhere(command)) return undefined;
    const patterns = patternsOf(rules(scope));
    if (patterns.length === 0 || foreignGit(cwd) !== null) return undefined;
    const late = new AbortController();
    const withdraw = clock.after(PATIENCE_MS, () => late.abort(new Error("The history is long.")));
    const answer = await worktrees
      .everTracked({ ...whereOf(cwd, scope), patterns: [...patterns] }, late.signal)
      .catch(() => null);
    withdraw();
    if (answer?.type !== "tracked") return undefined;
    const { answers } = answer;
    const byPattern = new Map(patterns.map((pattern, at) => [pattern, answers[at]]));
    return (pattern) => byPattern.get(pattern) ?? byPattern.get(pattern.trim()) ?? "unknown";
  };
}

function whereOf(cwd: string, { root, tree }: WriteScope) {
  const { projects, home, configFolder, darwin, twin } = placeOf({
    ...{ projectRoot: root, home: homedir(), platform: process.platform },
    configDir: userPlaces(process.env, homedir()).claudeDir,
    ...(tree === null ? {} : { twin: { tree: tree.path, checkout: tree.checkout } }),
  });
  return {
    folder: cwd,
    alsoAt: twin === null ? [] : [twin.checkout],
    anchors: { projects: [...projects], home, config: configFolder, foldCase: darwin },
  };
}

/** Returns the patterns of the deny and ask rules that restrict files, each once. */
function patternsOf(rules: readonly Rule[]): readonly string[] {
  const patterns = rules.flatMap((rule) => {
    if (rule.behaviour === "allow") return [];
    const parsed = parseRule(rule);
    switch (parsed.type) {
      case "tool":
        return isAboutFiles(parsed.tool) ? [ALL] : [];
      case "glob":
        return [...READERS, ...EDITORS].some((tool) => parsed.pattern.test(tool)) ? [ALL] : [];
      case "spec":
        return isAboutFiles(parsed.tool) ? [parsed.spec.trim()] : [];
      case "broken":
        return [];
      default:
        return parsed satisfies never;
    }
  });
  return [...new Set(patterns)];
}

function isAboutFiles(tool: string): boolean {
  return READERS.has(tool) || EDITORS.has(tool);
}

/** Removes quotes and backslashes between letters; `$'…'` may stand for any. word-ok */
function plainLetters(command: string): string {
  return command.replace(/['"\\]/g, "");
}

/** True for scripts of awk and sed, which may start git by a composed name. */
function mayStartGit(command: string): boolean {
  return /git|awk|sed/.test(plainLetters(command));
}

/** True if git may read another repository than that of the call's directory. */
function mayGoElsewhere(command: string): boolean {
  const plain = plainLetters(command);
  const moves = /\b(?:cd|pushd|popd|xargs|find)\b|(?:^|[\s{,])-\w*C|--(?:git-dir|work-tree|chdir)|GIT_/;
  return command.includes("$'") || moves.test(plain);
}
