import { type Row, readTable } from "./rows.ts";

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

/** git's subcommands; what stands before `|` is plain reading. The rows marked with `+` are for confinements only. */
export const gitTable: ReadonlyMap<string, Row> = readTable({
  status:
    "F s/short b/branch u/untracked-files? z/null v/verbose /porcelain? /ignored? | /long /show-stash /ahead-behind /no-ahead-behind /renames /no-renames /find-renames? /column? /no-column /ignore-submodules? /no-optional-locks",
  shortlog:
    "F s/summary n/numbered e/email | c/committer /group: w? /format: /all /no-merges /since: /until: /output:W",
  "log, diff, show, rev-list": `F ${SHOW}`,
  "stash list": `F ${SHOW}`,
  "stash show": `F ${SHOW} | /include-untracked /only-untracked`,
  "rev-parse, describe": "F~ | q h!",
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
