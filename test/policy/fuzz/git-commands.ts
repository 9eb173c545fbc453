import { type Dice, list } from "./dice.ts";
import { type Mood, randomFile } from "./words.ts";

const REVISIONS = list(
  "HEAD ;; HEAD~1 ;; main ;; other ;; v1 ;; v1..HEAD ;; HEAD~1 HEAD ;; stash@{0} ;; --all ;; HEAD:a.txt",
);
const STRANGE_REVISIONS = list(
  "HEAD:src ;; :0:.env ;; :.env ;; v1:.env ;; HEAD~1:.env ;; HEAD:./a.txt ;; :1:lout ;; -- ;; -1 ;; :/foo ;; HEAD:docs ;; HEAD^{tree} ;; stash^2:.env ;; @ ;; HEAD: ;; v1^{/x}",
);
const PATHSPECS = list(
  "'.e*' ;; ':(icase).ENV' ;; ':(glob)**/.e?v' ;; ':!src' ;; ':/.env' ;; '*.ts' ;; src/ ;; ':(attr:x)' ;; ':(top,icase)pkg/.Env' ;; '?env' ;; ':^a.txt' ;; pkg ;; . ;; ':(literal).env' ;; ':(exclude)x'",
);
const SHOW = list(`
  -p ;; -u ;; -s ;; -z ;; -w ;; -b ;; -n 2 ;; -2 ;; -n2 ;; --stat ;; --name-only ;; --name-status ;; --numstat ;; --oneline
  ;; --graph ;; --decorate ;; --format=%H ;; --pretty=oneline ;; --no-merges ;; --since=1.day ;; -S foo ;; -Sfoo ;; -G 'f.*'
  ;; -U3 ;; -U 1 ;; -M ;; -C ;; -M90% ;; --author=A ;; --grep=foo ;; --reverse ;; --shortstat ;; -L1,2:a.txt ;; -L 1,5:.env
  ;; -L1,1:src/one.ts ;; --follow ;; --cached ;; --staged ;; --date=short ;; -R ;; -m ;; -c ;; --color ;; --no-color ;; --raw
  ;; --word-diff ;; --summary ;; --check ;; --full-index ;; --abbrev=5 ;; -i ;; -E ;; -F ;; --dirstat ;; --compact-summary
  ;; --patch ;; --patch-with-stat ;; --patch-with-raw ;; --cc ;; --binary ;; -q ;; --diff-filter=A ;; --relative ;; --text
  ;; --first-parent ;; --diff-merges=on ;; --remerge-diff ;; --notes ;; --walk-reflogs ;; --submodule=diff ;; --exit-code
  ;; --quiet ;; --count ;; --objects ;; --pickaxe-all ;; --find-object=HEAD:.env ;; --function-context ;; --inter-hunk-context=3
  ;; --color-words ;; --ignore-submodules ;; --format=%N ;; --format=%B ;; --ita-invisible-in-index ;; --expand-tabs=2`);
const STRANGE = list(`
  --ext-diff ;; --textconv ;; --output=x ;; --output x ;; --outp=x ;; -O list.txt ;; -Olist.txt ;; --no-index ;; --no-ind
  ;; --show-signature ;; --stdin ;; --help ;; --format=%GG ;; --format=%G? ;; --pretty=format:%GK ;; --ext ;; --text ;; -W
  ;; --contents=lout ;; --ignore-revs-file=lout ;; --exclude-from=lout ;; -X lout ;; -S lout ;; --open-files-in-pager
  ;; --notes=x ;; --mailmap ;; --git-dir=bare ;; --resolve-git-dir bare ;; --local-env-vars ;; --sq-quote x ;; -D ;; -a ;; -g
  ;; --path-format=absolute ;; --since-as-filter=x ;; --unif=9 ;; --patc ;; -wp ;; -sp ;; --stat -p ;; --name-only -U1 ;; -ps
  ;; --word-dif ;; --color-moved ;; -n 1 -p ;; --format '%(trailers)' ;; --output-indicator-new=x ;; --skip-to=.env
  ;; --rotate-to=.env ;; --anchored=x ;; --dirst ;; -l 5 ;; -B ;; --filter=blob:none ;; --bisect ;; --glob=x ;; -t ;; --raw -p`);
const STATUS = list(
  "-s ;; -b ;; -sb ;; --porcelain ;; -u ;; -uno ;; -z ;; -v ;; -vv ;; --ignored ;; --porcelain=v2 ;; -sv ;; --verb ;; --no-short -v",
);
const BLAME = list(
  "-L1,2 ;; -s ;; -e ;; -w ;; -l ;; -t ;; -p ;; -n ;; -f ;; -C ;; -M ;; -L 1,1 ;; -L '/foo/' ;; -C -C ;; -CCC",
);
const LS_FILES = list(
  "-c ;; -m ;; -o ;; -s ;; -u ;; -z ;; -t ;; --cached ;; --others ;; --exclude-standard ;; -x '*.ts' ;; --exclude=x ;; -ot ;; -i -c",
);
const REV_PARSE = list(
  "HEAD ;; --show-toplevel ;; --git-dir ;; --abbrev-ref HEAD ;; --short HEAD ;; --verify main ;; --is-inside-work-tree",
);
const BRANCH = list(
  "-a ;; -r ;; -v ;; -vv ;; -l ;; --list ;; --show-current ;; --contains=HEAD ;; --sort=refname ;; -av ;; -l 'm*'",
);
const STRANGE_BRANCH = list(
  "new ;; 'm*' ;; -D ;; --edit-description ;; -m x ;; -u x ;; --format=%(x) ;; -lD x ;; --lis x ;; --sort refname x ;; -vd x ;; --contains HEAD y",
);
const TAG = list("-l ;; -n ;; -n2 ;; --contains=HEAD ;; --sort=refname ;; --list ;; -l 'v*'");
const STRANGE_TAG = list(
  "-d v1 ;; v9 ;; -v v2 ;; -f ;; -a ;; --verify ;; -ld v1 ;; -n v8 ;; --sort refname v7 ;; -n1 -m x v6 ;; --format=%(contents)",
);
const SHORT = list(
  "shortlog -s HEAD ;; shortlog -sn HEAD ;; remote ;; remote -v ;; describe --tags ;; describe --all ;; describe --always",
);
const OTHER = list(`
  grep foo ;; grep -O foo ;; -C bare status ;; --git-dir=bare status ;; -c core.fsmonitor=./evil.sh status ;; -p log
  ;; archive HEAD ;; cat-file -p v1:.env ;; ls-tree HEAD ;; show-ref ;; bundle create x HEAD ;; fetch ./bare ;; format-patch -1
  ;; reflog ;; worktree list ;; config -l ;; sta ;; st ;; diff-files ;; diff-tree -p HEAD ;; show-branch ;; whatchanged
  ;; var GIT_EDITOR ;; help log ;; blame --contents lout a.txt ;; ls-files --format=/etc/hostname ;; stash ;; fsck ;; notes
  ;; stash show --ext-diff ;; stash list --output=x ;; show --textconv HEAD:docs/guide.md ;; cat-file --filters HEAD:a.txt
  ;; -C src status ;; --no-pager log ;; --no-pager diff HEAD ;; -C nested status ;; -C trap/sub diff HEAD~1 HEAD ;; -C ldir status
  ;; check-ignore -v a.txt ;; for-each-ref ;; merge-base HEAD v1 ;; ls-tree -r HEAD .env ;; grep KEY v1 ;; grep -h KEY
  ;; check-ignore --stdin ;; show-ref --exclude-existing ;; cat-file --batch ;; reflog -p ;; reflog expire --all
  ;; worktree list --porcelain ;; rev-parse --parseopt ;; for-each-ref --format='%(contents)' ;; --paginate log`);

/** Words of git: a subcommand, its options, revisions and pathspecs. */
export function randomGit(dice: Dice, mood: Mood): string {
  const tame = mood === "tame";
  const option = () => dice.pick(!tame && dice.chance(0.4) ? STRANGE : SHOW);
  const revision = () =>
    dice.pick(tame && dice.chance(0.9) ? REVISIONS : [...REVISIONS, ...STRANGE_REVISIONS]);
  const path = () => (dice.chance(tame ? 0.05 : 0.3) ? dice.pick(PATHSPECS) : randomFile(dice, mood));
  const paths = () => (dice.chance(0.4) ? ["--", ...dice.several(1, 2, path)] : dice.several(0, 1, path));
  const some = (most: number, from: readonly string[], strange: readonly string[] = STRANGE) =>
    dice.several(0, most, () => dice.pick(!tame && dice.chance(0.25) ? strange : from));
  const shown = (name: string) => [
    name,
    ...dice.several(0, 2, option),
    ...dice.several(0, 1, revision),
    ...paths(),
  ];
  const subcommands: readonly (() => string[])[] = [
    () => ["status", ...some(2, STATUS), ...paths()],
    ...["log", "log", "diff", "diff", "show"].map((name) => () => shown(name)),
    () => ["rev-list", "HEAD", ...dice.several(0, 2, option), ...paths()],
    () => ["stash", dice.pick(["list", "show", "show -p", "show --stat"]), ...dice.several(0, 2, option)],
    () => ["blame", ...some(2, BLAME), path()],
    () => ["ls-files", ...some(2, [...LS_FILES, `-X ${path()}`]), ...paths()],
    () => ["rev-parse", ...some(2, REV_PARSE)],
    () => ["branch", ...some(2, BRANCH, STRANGE_BRANCH)],
    () => ["tag", dice.pick(TAG), ...some(1, TAG, STRANGE_TAG)],
    () => [dice.pick(SHORT)],
  ];
  if (!tame && dice.chance(0.15)) return `git ${dice.pick(OTHER)}`;
  return ["git", ...dice.pick(subcommands)()].join(" ");
}
