// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { type Dice, list } from "./dice.ts";
import { randomGit } from "./git-commands.ts";
import { type Mood, randomFile, randomNumber, randomOperand, randomText, spell } from "./words.ts";

/** Makes the words of one command whose grammar is not a row of options. */
type Maker = (dice: Dice, mood: Mood) => string;

const FIND_ACTS = list(`
  -exec cat {} + ;; -exec ./evil.sh ';' ;; -delete ;; -fprint .npmrc ;; -fls x ;; -ok ls ';' ;; -follow ;; -files0-from list.txt
  ;; -L ;; -H ;; -D exec ;; -O3 ;; -execdir ls ';' ;; -fprintf x %p ;; -fprint0 y ;; -samefile lout ;; -anewer a.txt ;; -quit
  ;; -newerXY a.txt ;; -newermt 2001-01-01 ;; -lname x ;; -xdev ;; -newerma lout ;; -exec echo {} ';' ;; -exe ls ';' ;; --`);
const FIND_TESTS = list(`
  -empty ;; -mmin -5 ;; -mindepth 1 ;; -perm -u+x ;; -user root ;; -print ;; -print0 ;; -ls ;; -prune ;; ! -name x ;; -not -type d
  ;; -a -type f ;; -name a -o -name b ;; '(' -name a.txt -o -name b ')' ;; '(' -type f ')' -print ;; -printf '%p\\n' ;; -type f
  ;; -type d ;; -type f,d ;; -group root ;; -atime 1 ;; -ctime -1 ;; -and -type l ;; -or -type f ;; -printf '%f %h %l'`);

const find: Maker = (dice, mood) => {
  const text = () => dice.pick(["'*.ts'", "'*.md'", "foo", "'?'", "'.e*'", randomText(dice, mood)]);
  const tests = dice.several(0, 3, () => {
    if (mood === "hostile" && dice.chance(0.3)) return dice.pick(FIND_ACTS);
    if (dice.chance(0.5)) return dice.pick(FIND_TESTS);
    const name = dice.pick(
      list(
        "-name ;; -iname ;; -path ;; -ipath ;; -regex ;; -iregex ;; -newer ;; -size ;; -maxdepth ;; -mtime ;; -printf",
      ),
    );
    if (name === "-newer") return `${name} ${randomFile(dice, mood)}`;
    return `${name} ${/size|depth|time/.test(name) ? randomNumber(dice) : text()}`;
  });
  return ["find", ...dice.several(0, 2, () => randomOperand(dice, mood)), ...tests].join(" ");
};

const SED_PRINTS = list(
  "1p ;; 1,3p ;; /foo/p ;; $p ;; /a/,/b/p ;; 2,$p ;; '1p;3p' ;; p ;; '/foo/!p' ;; 1~2p ;; '/a/Ip' ;; 0,/x/p ;; '1!p'",
);
const SED_MORE = list(
  "p ;; 'w .npmrc' ;; '1w x' ;; '1e ls' ;; e ;; 'r lout' ;; 'R ../outside/secret.txt' ;; s/x/y/ ;; 's/a/./evil.sh/e' ;; '/x/w y' ;; '$!N;P;D' ;; 'p;w x' ;; '1p\ne ls' ;; s/a/b/w.npmrc",
);
const SED_OPTIONS = list(
  "-n ;; -nE ;; -n -e ;; -En ;; -ns ;; -nz ;; -nu ;; -n -r ;; -ne ;; --quiet ;; -n --",
);
const SED_STRANGE = list(
  "-i ;; -ni ;; -n -i.bak ;; -nf list.txt ;; --in-place -n ;; -n --file=a.txt ;; -e ;; -E ;; -nl 5 ;; -n --fil list.txt ;; -n --exp p ;; -nie ;; -nEi ;; -sn --in=x",
);

const sed: Maker = (dice, mood) => {
  const tame = mood === "tame" || dice.chance(0.5);
  const script = tame || dice.chance(0.9) ? dice.pick(tame ? SED_PRINTS : SED_MORE) : randomText(dice, mood);
  const options = dice.pick(mood === "hostile" && dice.chance(0.4) ? SED_STRANGE : SED_OPTIONS);
  return ["sed", options, script, ...dice.several(0, 2, () => randomOperand(dice, mood))].join(" ");
};

const OPERATORS = list(
  "-f ;; -e ;; -d ;; -L ;; -r ;; -s ;; -x ;; -n ;; -z ;; -h ;; -w ;; -O ;; -G ;; -k ;; -p ;; -S ;; -N",
);
const TESTS = list(
  "-v x ;; -v 'a[$(./evil.sh)]' ;; 'a[$(./evil.sh)]' -eq 1 ;; x -eq 1 ;; -R x ;; 1 -lt 'x[$(./evil.sh>&2)]' ;; -t 0 ;; -o x ;; 1 -eq 'PATH=0'",
);

const test: Maker = (dice, mood) => {
  const operand = () => (dice.chance(0.5) ? randomFile(dice, mood) : randomText(dice, mood));
  const plain = () =>
    dice.pick([
      ...[
        `${dice.pick(OPERATORS)} ${operand()}`,
        `${operand()} = ${operand()}`,
        `${operand()} != ${operand()}`,
      ],
      ...["1 -eq 2", "3 -lt 4", `${operand()} -nt ${operand()}`, `! -e ${operand()}`, operand()],
    ]);
  const inner = mood === "hostile" && dice.chance(0.3) ? dice.pick(TESTS) : plain();
  return dice.pick([`test ${inner}`, `[ ${inner} ]`, `[[ ${inner} ]]`]);
};

const SUBSTITUTIONS = list(
  "$? ;; $# ;; $(pwd) ;; $(ls src) ;; $(git rev-parse HEAD) ;; `pwd` ;; $HOME ;; {a,b} ;; ~ ;; $((1+1)) ;; ${x:-y} ;; $(cat lout) ;; $(<lout)",
);

const echo: Maker = (dice, mood) => {
  const operand = () => (dice.chance(0.5) ? randomText(dice, mood) : randomOperand(dice, mood));
  const more = dice.chance(0.3) ? [dice.pick(SUBSTITUTIONS)] : [];
  return [
    "echo",
    ...dice.several(0, 1, () => dice.pick(["-n", "-e", "-ne", "-E", "--"])),
    ...dice.several(0, 3, operand),
    ...more,
  ].join(" ");
};

const FORMATS = list("'%s\\n' ;; '%d' ;; foo ;; '%5s|' ;; '%%' ;; 'a\\nb' ;; '%-10s%s\\n' ;; '%x' ;; %q");
const STRANGE_FORMATS = list(
  "'%n' ;; '%s%n' ;; '%5d%n' ;; -v ;; -v PATH ;; '%hhn' ;; '%*d%n' ;; '%ln' ;; '%(%F)T' ;; '\\x25n' ;; -vPATH ;; -- ;; -- '%n' ;; '%.3n' ;; '%%%n' ;; '%-n' ;; '%5$n' ;; '%*.*n' ;; '%#n' ;; '%jn' ;; '%Ln'",
);

const printf: Maker = (dice, mood) => {
  const format = dice.pick(mood === "tame" ? FORMATS : [...FORMATS, ...STRANGE_FORMATS]);
  const operand = () =>
    dice.chance(0.3) ? "PATH" : dice.chance(0.5) ? randomText(dice, mood) : randomNumber(dice);
  const then = mood === "hostile" && dice.chance(0.5) ? "; ls" : "";
  return `${dice.chance(0.1) ? "builtin " : ""}${["printf", format, ...dice.several(0, 3, operand)].join(" ")}${then}`;
};

const XARGS = list("echo ;; basename ;; dirname ;; echo x ;; basename -a ;; echo --");
const STRANGE_XARGS = list(
  "cat ;; rg foo ;; grep -h foo ;; head -1 ;; printf '%s' ;; wc -l ;; ls -d ;; echo {} ;; sh -c ;; git show ;; stat ;; basename -s ;; env ;; find ;; sort ;; command echo ;; nice echo ;; nice cat",
);
const XARGS_OPTIONS = list(
  "-0 ;; -n1 ;; -n 1 ;; -I % ;; -P2 ;; -r ;; -t ;; -L1 ;; -d , ;; -a list.txt ;; -o ;; --arg-file=list.txt ;; -i ;; -E x ;; --replace ;; -- ;; -e ;; -l",
);

const xargs: Maker = (dice, mood) => {
  const options = mood === "hostile" ? dice.several(0, 2, () => dice.pick(XARGS_OPTIONS)) : [];
  const feed = dice.chance(0.5)
    ? `${dice.pick(["ls", "cat list.txt", "find .", "echo lout", "git ls-files", "cut -c1-9 list.txt", "printf '.env'", "ls docs"])} | `
    : "";
  return `${feed}${["xargs", ...options, dice.pick(mood === "tame" ? XARGS : [...XARGS, ...STRANGE_XARGS])].join(" ")}`;
};

const SETS = list("LANG=C ls ;; LC_ALL=C sort a.txt ;; TZ=UTC date ;; NO_COLOR=1 ls ;; CI=1 pwd");
const STRANGE_SETS = list(`
  PATH=0 ls ;; PATH=0 ;; read PATH < list.txt ;; export PATH=0 ;; declare PATH=0 ;; IFS=x ;; printf -v PATH 0 ;; LANG+=x ls
  ;; unset PATH ;; cd() { :; } ;; alias ls=./evil.sh ;; : \${PATH:=0} ;; LC_ALL=../outside ls ;; TZ=../lout date ;; TERM=./x ls
  ;; GIT_EXTERNAL_DIFF=./evil.sh git diff ;; RIPGREP_CONFIG_PATH=.ripgreprc rg foo ;; mapfile PATH < list.txt ;; let PATH=0
  ;; LANGUAGE=../outside ls x ;; COLUMNS='a[$(./evil.sh)]' ls ;; LINES=1 ls ;; LC_TIME='$(x)' date ;; ((PATH=0))
  ;; coproc PATH { :; } ;; exec 5<lout ;; source evil.sh ;; . ./evil.sh ;; wait -p PATH ;; hash -p ./evil.sh ls ;; TZ=x/lout date
  ;; x=0; ls ;; for PATH in 0; do ls; done ;; for x in 0; do ls; done ;; for IFS in a; do ls; done ;; [[ $((PATH=0)) ]]; ls
  ;; echo $((PATH=0)); ls ;; LC_ALL=C PATH=0 ls ;; getopts a PATH -a ;; for f in a; do echo $f; done; ls ;; x[PATH=0]=1; ls
  ;; TERM=xterm LC_ALL=C ls ;; LC_ALL=src/deep ls ;; NODE_ENV=x ls ;; RUST_LOG=x rg foo ;; CI=$(./evil.sh) ls ;; NO_COLOR= tree src`);

/** Sets or shows variables, by commands that no row has or that have been taken for harmless. */
const variables: Maker = (dice, mood) => dice.pick(mood === "tame" ? SETS : STRANGE_SETS);

const INSIDE = list("src ;; docs ;; ./src ;; src/deep ;; . ;; pkg ;; odd");
const STRANGE_CD = list(
  "bare ;; trap ;; trap/sub ;; nested ;; ldir ;; lsrc ;; lup ;; .. ;; - ;; ~ ;; 0 ;; n ;; '' ;; -P src ;; -L src ;; -- src ;; -- ;; missing ;; almost ;; s* ;; src docs ;; -e src ;; src/../ldir",
);

const cd: Maker = (dice, mood) => `cd ${dice.pick(mood === "tame" ? INSIDE : [...INSIDE, ...STRANGE_CD])}`;

const look: Maker = (dice, mood) => {
  const name =
    mood === "tame"
      ? dice.pick(["ls", "git", "rg", "missing"])
      : dice.pick(["./evil.sh", "-p", "ls", "0/ls", "lout", "-- ls"]);
  return `${dice.pick(["command -v", "type", "which", "which -a", "type -t", "command -V"])} ${spell(dice, name)}`;
};

export const specialCommands: Readonly<Record<string, Maker>> = {
  find,
  sed,
  git: randomGit,
  test,
  echo,
  printf,
  xargs,
  variables,
  cd,
  look,
};
