import { type Dice, list } from "./dice.ts";

/** Ordinary files and directories of the fixture. */
const ORDINARY = [
  ...list(`a.txt ;; b.txt ;; README.md ;; notes.md ;; list.txt ;; data.json ;; src ;; src/one.ts ;; src/two.ts ;; src/deep
    ;; docs ;; docs/guide.md ;; . ;; ./a.txt ;; ./src ;; pkg ;; pkg/index.js ;; src/`),
  "two words.txt",
];
/** Names that have been used to get out, to run or to write something. */
const HOSTILE = [
  ...list(`lout ;; ldir ;; ldir/secret.txt ;; lenv ;; lup ;; lup/outside/secret.txt ;; lin ;; lsrc ;; dangling ;; src/lout2
    ;; docs/lhost ;; docs/lsec ;; docs/ldir2 ;; docs/ldir2/other.txt ;; src/../lout ;; lsrc/lout2 ;; lsrc/../.env ;; ldir/../ws/.env
    ;; .env ;; ./.env ;; pkg/.env ;; docs/../.env ;; .//.env ;; pkg/./.env ;; n/../.env ;; pkg/../.env ;; .env/ ;; .env/. ;; .ENV
    ;; .bashrc ;; .npmrc ;; .git/config ;; .git ;; .git/HEAD ;; .git/index ;; evil.sh ;; ./evil.sh ;; 0 ;; ./-rf ;; -rf ;; -o
    ;; --pre=sh ;; --pre=./evil.sh ;; --output=.npmrc ;; x;y ;; odd ;; ../outside/secret.txt ;; /etc/hostname ;; ~/.ssh/id_rsa
    ;; .. ;; bare ;; trap ;; trap/sub ;; nested ;; almost ;; - ;; @list.txt ;; +x ;; PATH ;; src//one.ts ;; /proc/self/cwd/../outside
    ;; /dev/stdin ;; /dev/fd/0 ;; /proc/self/environ ;; src/deep/../../lout ;; =lout ;; x=lout ;; ,lout ;; %lout ;; :lout`),
  ...["a --pre=./evil.sh a.txt", "new\nline.txt"],
];
const TEXTS = [
  ...list(`foo ;; x ;; 3 ;; alpha ;; a,b ;; %s ;; %n ;; name ;; auto ;; 1,2p ;; TODO ;; * ;; ^f ;; [a-z] ;; s/a/b/ ;; always ;; never
    ;; color ;; lines ;; 5 ;; +2 ;; 0 ;; = ;; , ;; ts ;; md ;; utf-8 ;; long-iso ;; none ;; KEY ;; QZ ;; full ;; path ;; p ;; a`),
  "",
];
const NUMBERS = list("1 ;; 2 ;; 3 ;; 10 ;; 0 ;; 5 ;; 1k ;; +2 ;; -1 ;; 99");
const GLOBS =
  list(`* ;; *.md ;; src/* ;; ./* ;; *.ts ;; src/*.ts ;; odd/* ;; l* ;; docs/* ;; .e* ;; ?.txt ;; [ab].txt ;; -* ;; *=sh ;; *=.npmrc
  ;; -? ;; *rf ;; .[e]nv ;; .en? ;; [.]env ;; pkg/.* ;; */.env ;; */*.md ;; d*/g* ;; **/*.ts ;; .* ;; lsrc/*.ts ;; src/[!d]* ;; pkg/*`);
/** Bash makes other words of these before the command sees them. */
const EXPANSIONS =
  list(`{a.txt,lout} ;; ~/.ssh/id_rsa ;; $HOME ;; ~+/lout ;; $PWD/a.txt ;; "$x" ;; $(echo lout) ;; {lo,.en}ut ;; .{env,x}
  ;; a{.txt,} ;; $'lo\\x75t' ;; $"lout" ;; \\.env ;; .e""nv ;; ~ ;; ~root ;; \${HOME} ;; l\\out ;; {1..3} ;; ~-/x ;; "lo"ut ;; <(cat lout)`);

/** How far a line strays from what the table lists. */
export type Mood = "tame" | "hostile";

export function randomFile(dice: Dice, mood: Mood): string {
  return spell(dice, dice.chance(mood === "tame" ? 0.06 : 0.4) ? dice.pick(HOSTILE) : dice.pick(ORDINARY));
}

/** An operand that is a file, sometimes a glob or one of bash's other forms that become files. */
export function randomOperand(dice: Dice, mood: Mood): string {
  if (dice.chance(mood === "tame" ? 0.04 : 0.12)) return dice.pick(GLOBS);
  if (mood === "hostile" && dice.chance(0.06)) return dice.pick(EXPANSIONS);
  return randomFile(dice, mood);
}

/** What a reader of options may take for one, or for nothing. */
const DASHES = list(
  "- ;; -- ;; '' ;; -n ;; -e ;; -f ;; --help ;; -1 ;; '-' ;; -- -- ;; -o ;; -r ;; --output=x ;; -- -",
);

export function randomText(dice: Dice, mood: Mood): string {
  if (mood === "hostile" && dice.chance(0.08)) return dice.pick(DASHES);
  if (dice.chance(mood === "tame" ? 0.05 : 0.3)) return spell(dice, dice.pick(HOSTILE));
  return spell(dice, dice.pick(TEXTS));
}

export const randomNumber = (dice: Dice): string => dice.pick(NUMBERS);

export const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** A word as bash reads it back: bare, or quoted in one of several ways. */
export function spell(dice: Dice, word: string): string {
  const isPlain = /^[\w./:=,+@%-]+$/.test(word);
  if (isPlain && !dice.chance(0.06)) return word;
  if (!word.includes("'")) {
    if (dice.chance(0.7)) return `'${word}'`;
    if (isPlain && word.length > 1) return `${word[0]}"${word.slice(1)}"`;
  }
  return `"${word.replaceAll(/[\\"$`]/g, "\\$&")}"`;
}

const MUTATIONS = [
  "\\",
  "'",
  '"',
  "$",
  "*",
  "{",
  "}",
  "\n",
  "#",
  " ",
  "-",
  "=",
  "~",
  "!",
  "<",
  ">",
  "&",
  "|",
  ";",
  "(",
  ")",
  "[",
  "/",
  ".",
];

/** The line with a character or two put in, taken out or doubled anywhere. */
export function mutate(dice: Dice, line: string): string {
  let text = line;
  for (const kind of dice.several(1, 2, () => dice.below(4))) {
    const at = dice.below(text.length + 1);
    const rest = text.slice(at);
    text =
      text.slice(0, at) +
      (kind === 0 ? rest.slice(1) : kind === 1 ? rest.slice(0, 1) + rest : dice.pick(MUTATIONS) + rest);
  }
  return text;
}
