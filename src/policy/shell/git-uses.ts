import { lazy } from "../../lib/lazy.ts";
import { actingProblem, type ReadWords, readOptions } from "./read-options.ts";
import { readRow, readTable } from "./rows.ts";
import { literalWord, type ShellWord } from "./script.ts";
import { pathsAmong, refuseUse, type Uses, uses } from "./uses.ts";

/** Options of what shows commits and differences that select, order or format (§5.6). */
const SHOW =
  "p u s z w b i e E F R c m n:N # S:R G:R U:N L: M? C? " +
  "/oneline /graph /all /stat? /shortstat /numstat /dirstat? /summary /name-only /name-status /patch /no-patch /raw " +
  "/patch-with-stat /patch-with-raw /compact-summary /minimal /patience /histogram /diff-algorithm: /anchored:R " +
  "/unified:N /color? /no-color /color-moved? /no-color-moved /color-moved-ws: /word-diff? /word-diff-regex:R " +
  "/color-words? /no-renames /rename-empty /no-rename-empty /check /ws-error-highlight: /full-index /binary /abbrev? " +
  "/no-abbrev /break-rewrites? /find-renames? /find-copies? /find-copies-harder /irreversible-delete /diff-filter: " +
  "/pickaxe-all /pickaxe-regex /find-object: /relative? /no-relative /text /ignore-cr-at-eol /ignore-space-at-eol " +
  "/ignore-space-change /ignore-all-space /ignore-blank-lines /ignore-matching-lines:R /inter-hunk-context:N " +
  "/function-context /exit-code /quiet /no-ext-diff /no-textconv /ignore-submodules? /submodule? /src-prefix:R " +
  "/dst-prefix:R /no-prefix /default-prefix /line-prefix:R /ita-invisible-in-index /ita-visible-in-index /max-depth:N " +
  "/cached /staged /merge-base /follow /no-decorate /decorate? /decorate-refs:R /decorate-refs-exclude:R /source " +
  "/mailmap /no-mailmap /use-mailmap /log-size /max-count:N /skip:N /since: /after: /until: /before: /author:R " +
  "/committer:R /grep-reflog:R /grep:R /all-match /invert-grep /regexp-ignore-case /basic-regexp /extended-regexp " +
  "/fixed-strings /perl-regexp /remove-empty /merges /no-merges /min-parents:N /max-parents:N /no-min-parents " +
  "/no-max-parents /first-parent /exclude-first-parent-only /not /branches? /tags? /remotes? /glob:R /exclude:R " +
  "/exclude-hidden: /reflog /alternate-refs /single-worktree /ignore-missing /bisect /cherry-mark /cherry-pick " +
  "/left-only /right-only /cherry /walk-reflogs /boundary /simplify-by-decoration /show-pulls /full-history /dense " +
  "/sparse /simplify-merges /ancestry-path? /date-order /author-date-order /topo-order /reverse /no-walk? /do-walk " +
  "/pretty? /format: /abbrev-commit /no-abbrev-commit /expand-tabs? /no-expand-tabs /notes? /no-notes /show-notes? " +
  "/relative-date /date: /parents /children /left-right /show-linear-break? /cc /combined-all-paths " +
  "/no-diff-merges /count /timestamp /objects /disk-usage? /header /use-bitmap-index /clear-decorations " +
  "| /diff-merges: /remerge-diff! a g r t q W B? D O:P l:N X? /ext-diff /textconv /output:W /no-index /show-signature /stdin " +
  "/output-indicator-new:R /output-indicator-old:R /output-indicator-context:R /skip-to: /rotate-to: /progress";

/** git's subcommands; what comes before `|` is plain reading. The rows marked with `+` are for confinements only. */
const TABLE = readTable({
  status:
    "F s/short b/branch u/untracked-files? z/null v/verbose /porcelain? /ignored? | /long /show-stash /ahead-behind /no-ahead-behind /renames /no-renames /find-renames? /column? /no-column /ignore-submodules? /no-optional-locks",
  shortlog:
    "F s/summary n/numbered e/email | c/committer /group: w? /format: /all /no-merges /since: /until: /output:W",
  "log, diff, show, rev-list": `F ${SHOW}`,
  "stash list": `F ${SHOW}`,
  "stash show": `F ${SHOW} | /include-untracked /only-untracked`,
  "rev-parse":
    "F /abbrev? /abbrev-ref? /absolute-git-dir /all /branches? /default: /disambiguate? /exclude? /exclude-hidden? /flags /git-common-dir /git-dir /git-path:P /glob? /is-bare-repository /is-inside-git-dir /is-inside-work-tree /is-shallow-repository /keep-dashdash /local-env-vars /no-flags /no-revs /not /path-format? /prefix: /quiet /remotes? /resolve-git-dir:P /revs-only /short? /show-cdup /show-object-format? /show-prefix /show-superproject-working-tree /show-toplevel /since? /sq /symbolic /symbolic-full-name /tags? /until? /verify | q",
  describe:
    "F /abbrev? /all /always /broken? /candidates: /contains /debug /dirty? /exact-match /exclude: /first-parent /long /match: /tags | h!",
  blame:
    "F L: s e/show-email w l t p/porcelain n/show-number f/show-name C? M? | S:P b c k /root /show-stats /reverse /line-porcelain /incremental /encoding: /contents:P /date: /score-debug /progress /no-progress /ignore-rev: /ignore-revs-file:P /color-lines /color-by-age /abbrev: /first-parent /output:W /textconv",
  "ls-files":
    "F c/cached d/deleted m/modified o/others i/ignored s/stage u/unmerged z t k/killed x/exclude:R X:P /exclude-standard | /exclude-from:P v f r /directory /no-empty-directory /eol /full-name /recurse-submodules /error-unmatch /with-tree: /abbrev? /format: /deduplicate /exclude-per-directory: /resolve-undo /debug /sparse",
  branch:
    "T a/all r/remotes v/verbose l/list /show-current /contains: /sort: | d/delete! D! m/move! M! c/copy! C! f/force! t/track! u/set-upstream-to! q i /no-contains: /merged? /no-merged? /points-at: /format: /column? /no-column /color? /no-color /abbrev? /no-abbrev /ignore-case /unset-upstream! /edit-description! /create-reflog! /no-track! /recurse-submodules!",
  tag: "T l/list n? /contains: /sort: | a/annotate! s/sign! u/local-user! d/delete! v/verify! f/force! m/message! F/file! e/edit! i /no-contains: /merged? /no-merged? /points-at: /format: /column? /no-column /color? /ignore-case /create-reflog! /cleanup! /trailer!",
  remote: "0 v/verbose",
  "worktree list": "+0 v/verbose z /porcelain /expire:",
  "ls-tree": "+F d r t l/long z /name-only /name-status /object-only /full-name /full-tree /abbrev? /format:",
  reflog: `+F ${SHOW}`,
  grep: "+R a/text I i/ignore-case w/word-regexp v/invert-match h H E/extended-regexp G/basic-regexp P/perl-regexp F/fixed-strings n/line-number l/files-with-matches L/files-without-match z/null o/only-matching c/count p/show-function W/function-context f:P* e:R* q/quiet r/recursive A/after-context:N B/before-context:N C/context:N m/max-count:N # O/open-files-in-pager? /no-index /textconv /ext-grep /cached /untracked /no-exclude-standard /exclude-standard /recurse-submodules /full-name /no-color /color? /column /break /heading /and /or /not /all-match /max-depth:N /threads:N /name-only",
  "cat-file":
    "+F p t s e z Z /batch? /batch-check? /batch-command? /batch-all-objects /buffer /unordered /follow-symlinks /allow-unknown-type /use-mailmap /filter: /textconv /filters /path:",
  "merge-base": "+T a/all /octopus /is-ancestor /independent /fork-point",
  "show-ref":
    "+T q/quiet s/hash? d/dereference /head /heads /branches /tags /verify /abbrev? /exclude-existing? /exists",
  "for-each-ref":
    "+T s/shell p/perl /python /tcl /count: /format: /sort: /points-at: /merged? /no-merged? /contains? /no-contains? /ignore-case /omit-empty /exclude: /color? /include-root-refs",
  "check-ignore": "+F q/quiet v/verbose z n/non-matching /no-index /stdin",
});
/** git's own options; what comes before `|` may precede what reads in a confinement. */
const GLOBALS = lazy(() =>
  readRow(
    "T< C:P /no-pager | c: p/paginate P /git-dir: /work-tree: /namespace: /exec-path: /super-prefix: /config-env: /attr-source:",
  ),
);
/** These list commits, or show what changed. */
const SHOWING: ReadonlySet<string> = new Set(
  "log, diff, show, rev-list, stash list, stash show, reflog".split(", "),
);
const SHOWS = new Set(["diff", "show", "blame", "stash show", "grep", "cat-file"]);
/** Of what lists commits, these show contents as well. */
const CONTENTS =
  /^(?:[pucmLUW]|patch(?:-with-.*)?|unified|cc|remerge-diff|diff-merges|function-context|binary|word-diff|color-words|dd|check)$/;
/** Options with which these show names and counts, unless one of `CONTENTS` comes with them. */
const NAMES: Readonly<Record<string, RegExp>> = {
  log: /^(?:[sq]|quiet|no-patch|stat|shortstat|numstat|dirstat|summary|name-only|name-status|raw|compact-summary)$/,
  grep: /^(?:[lq]|files-with-matches)$/,
  "cat-file": /^[tse]$/,
};

/** Returns the words after `git`: its own options, and as operands the subcommand with its arguments. */
export function readGit(words: readonly ShellWord[]): ReadWords {
  return readOptions(words, GLOBALS());
}

/** Returns what a call of git reads; `words` are those after `git`. */
export function gitUses(words: readonly ShellWord[]): Uses {
  const read = readGit(words);
  const own = subcommandUses(read.operands);
  const moved = read.valuesOf("path");
  const into = moved.map(({ value }) => value);
  if (read.operands.length === words.length) return { ...own, into };
  const plain = "git has options of its own before the subcommand";
  // git itself takes no value that is glued.
  const odd = read.misfit !== null || read.values.some(({ form }) => form !== "word");
  return { ...own, into, plain, confined: odd ? plain : own.confined, reads: [...own.reads, ...moved] };
}

function subcommandUses(words: readonly ShellWord[]): Uses {
  const [first, second] = words;
  const two = `${first?.value} ${second?.value}`;
  const name = TABLE.has(two) ? two : (first?.value ?? "");
  const row = TABLE.get(name);
  const given = words.slice(name === two ? 2 : 1);
  if (row === undefined) {
    const why = name === "" ? "git without a subcommand" : `git ${name} may change something`;
    return refuseUse(why, { candidates: given.flatMap(pathsOf) });
  }
  const read = readOptions(given, row);
  const { operands, values } = read;
  const named = [
    ...(row.operands === "pattern" ? read.afterFirst : operands),
    ...read.valuesFor("L"),
  ].flatMap(pathsOf);
  const found: Partial<Uses> = {
    reads: [...(row.operands === "text" ? [] : [...named, ...read.valuesOf("path")]), ...pathsAmong(read)],
    candidates: [...named, ...values.map(({ word }) => word), ...read.glued],
    contents: contentsOf(name, given, read),
  };
  const acts = actingProblem(read) ?? operandProblem(name, words, read);
  if (acts !== null) return refuseUse(`git ${name}: ${acts}`, found);
  const odd = values.find(({ word, form }) => form === "word" && /^-(?!\d+$)/.test(word.value));
  const signs = [...values.map(({ word }) => word), ...read.glued].some(({ value }) =>
    /%[-+ ]?G/.test(value),
  );
  const plain =
    (row.confinedOnly ? `git ${name} is not plain reading` : read.misfit) ??
    (signs ? "%G starts a program" : null) ??
    // It may end the options early: `--author -- --output=x`.
    (odd ? `"${odd.word.value}" would be a value of git ${name}` : null);
  return uses({ ...found, plain });
}

/** A path in a revision, behind a pathspec's magic, or behind the lines of `-L`. */
function pathsOf(word: ShellWord): readonly ShellWord[] {
  const { value } = word;
  const colon = value.indexOf(":");
  if (colon < 0) return [word];
  const bare = value.replace(/^:(?:\([^)]*\)|[!^/]*:?)/, "");
  const behind = [value.slice(colon + 1), value.slice(value.lastIndexOf(":") + 1), bare];
  return [word, ...[...new Set(behind)].filter(Boolean).map(literalWord)];
}

function operandProblem(name: string, words: readonly ShellWord[], read: ReadWords): string | null {
  if (words.some(({ value }) => value === "--help")) return "--help starts the reader of manuals";
  const [first] = read.operands;
  const lists = read.options.has("l") || read.options.has("list");
  if (first === undefined || ((name === "branch" || name === "tag") && lists)) return null;
  if (name === "branch" || name === "tag") return "a name without --list would be made";
  if (name === "remote") return "it may change the remotes";
  const removes = name === "reflog" && /^(?:expire|delete|drop|write)$/.test(first.value);
  return removes ? "it would remove entries" : null;
}

/** What of the repository it shows, beyond names and counts. */
function contentsOf(
  name: string,
  given: readonly ShellWord[],
  { options, operands, understood }: ReadWords,
): Uses["contents"] {
  const has = (names: RegExp) => [...options.keys()].some((option) => names.test(option));
  if (name === "status") return has(/^(?:v|verbose)$/) ? { paths: null, below: true } : null;
  if (!SHOWS.has(name) && !SHOWING.has(name)) return null;
  const names = NAMES[SHOWING.has(name) ? "log" : name];
  const namesOnly = !SHOWS.has(name) || (names !== undefined && has(names));
  if (understood && namesOnly && !has(CONTENTS)) return null;
  // An option that is not known may show more than its paths say.
  if (!understood) return { paths: null, below: true };
  if (name === "blame") return { paths: operands.slice(-1).map(({ value }) => value), below: false };
  const end = given.findIndex(({ value }) => value === "--");
  const behind = end < 0 ? [] : given.slice(end + 1);
  if (behind.length > 0) return { paths: behind.map(({ value }) => value), below: true };
  const inRevisions = operands.map(({ value }) => /^(?::\d:|:(?![(!^/])|[^:]+:)(.+)$/s.exec(value)?.[1]);
  // `git diff HEAD:src` compares with every file that there is now.
  const known = inRevisions.filter((path) => path !== undefined);
  const all = known.length > 0 && known.length === inRevisions.length && !options.has("L");
  // Of a directory in a revision it shows names only.
  return { paths: all && (name === "show" || name === "cat-file") ? known : null, below: false };
}

/** A call of git that loses what no undo restores: its subcommand, and the arguments that make it so (§5.12). */
export interface GitDestruction {
  readonly subcommand: string;
  readonly words: readonly string[];
}

/** What destroys is marked with `!`. A value counts only where it is glued: the next word may destroy all the same. */
const DESTROYS = readTable({
  push: "T f/force! d/delete! /force-with-lease! /force-if-includes! /mirror! /prune! o? /no-verify!",
  reset: "T /hard! /keep! /no-verify!",
  checkout: "F f/force! B! b? /no-verify!",
  restore: "F /force! s? /no-verify!",
  switch: "F f/force! C/force-create! /discard-changes! c? /no-verify!",
  branch: "T D! M! C! f/force! u? /no-verify!",
  tag: "T d/delete! f/force! m? F? u? /no-verify!",
  commit: "T n! /amend! m? F? C? c? t? S? u? /no-verify!",
  gc: "T /prune! /no-verify!",
  clean: "T n/dry-run d f/force i/interactive q/quiet x X e/exclude?",
  other: "T /no-verify!",
});
/** Operands that destroy, in addition to paths of a row with `F` that are more than one file. */
const WORDS: Readonly<Record<string, RegExp>> = {
  push: /^[+:]/,
  reflog: /^(?:expire|delete)$/,
  stash: /^(?:drop|clear)$/,
};
/** Paths that are more than one file. */
const MANY = /^\.{1,2}\/*$|^:|[*?[]|\/$/;

/** Returns what destroys in the words after `git`, or null. Options count clustered and abbreviated. */
export function findDestruction(
  words: readonly ShellWord[],
  isDirectory: (path: string) => boolean,
): GitDestruction | null {
  const [{ value: subcommand } = { value: "" }, ...rest] = readGit(words).operands;
  const whole = { subcommand, words: [subcommand] };
  const row = DESTROYS.get(subcommand) ?? DESTROYS.get("other");
  if (row === undefined || /^(?:rebase|filter-.*|replace|update-ref)$/.test(subcommand)) return whole;
  const { acting, operands, options, abbreviated, understood } = readOptions(rest, row);
  if (subcommand === "clean")
    return understood && !abbreviated && (options.has("n") || options.has("dry-run")) ? null : whole;
  const lost = operands.filter(({ value, pieces }) => {
    if (row.operands !== "files") return WORDS[subcommand]?.test(value);
    return MANY.test(value) || pieces.some(({ type }) => type === "glob") || isDirectory(value);
  });
  const found = [...acting, ...lost.map(({ value }) => value)];
  return found.length === 0 ? null : { subcommand, words: found };
}
