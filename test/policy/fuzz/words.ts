import type { Dice } from "./dice.ts";

/** Ordinary files and directories of the fixture. */
const ORDINARY = [
  ...[
    "a.txt",
    "b.txt",
    "README.md",
    "notes.md",
    "list.txt",
    "data.json",
    "two words.txt",
    "src",
    "src/one.ts",
  ],
  ...[
    "src/two.ts",
    "src/deep",
    "docs",
    "docs/guide.md",
    ".",
    "./a.txt",
    "./src",
    "pkg",
    "pkg/index.js",
    "src/",
  ],
];
/** Names that have been used to get out, to run or to write something. */
const HOSTILE = [
  ...["lout", "ldir", "ldir/secret.txt", "lenv", "lup", "lup/outside/secret.txt", "lin", "lsrc", "dangling"],
  ...["src/lout2", "docs/lhost", "docs/ldir2", "docs/ldir2/other.txt", "src/../lout", "lsrc/lout2"],
  ...[".env", "./.env", "pkg/.env", ".bashrc", ".npmrc", ".git/config", ".git", ".git/HEAD", "evil.sh", "0"],
  ...[
    "./-rf",
    "-rf",
    "-o",
    "--pre=sh",
    "--pre=./evil.sh",
    "a --pre=./evil.sh a.txt",
    "x;y",
    "new\nline.txt",
    "odd",
  ],
  ...[
    "../outside/secret.txt",
    "/etc/hostname",
    "~/.ssh/id_rsa",
    "..",
    "bare",
    "trap",
    "trap/sub",
    "nested",
    "-",
  ],
  ...[
    "--output=.npmrc",
    "./evil.sh",
    "@list.txt",
    "+x",
    "PATH",
    ".ENV",
    "src//one.ts",
    "n/../.env",
    "pkg/../.env",
  ],
];
const TEXTS = [
  ...[
    "foo",
    "x",
    "3",
    "alpha",
    "a,b",
    "%s",
    "%n",
    "name",
    "auto",
    "1,2p",
    "TODO",
    "*",
    "^f",
    "[a-z]",
    "s/a/b/",
  ],
  ...[
    "always",
    "never",
    "color",
    "lines",
    "5",
    "+2",
    "0",
    "",
    "=",
    ",",
    "ts",
    "md",
    "utf-8",
    "long-iso",
    "none",
  ],
];
const NUMBERS = ["1", "2", "3", "10", "0", "5", "1k", "+2", "-1", "99"];
const GLOBS = [
  "*",
  "*.md",
  "src/*",
  "./*",
  "*.ts",
  "src/*.ts",
  "odd/*",
  "l*",
  "docs/*",
  ".e*",
  "?.txt",
  "[ab].txt",
  "-*",
];

/** How far a line strays from what the table lists. */
export type Mood = "tame" | "hostile";

export function randomFile(dice: Dice, mood: Mood): string {
  return spell(dice, dice.chance(mood === "tame" ? 0.06 : 0.4) ? dice.pick(HOSTILE) : dice.pick(ORDINARY));
}

/** An operand that is a file, sometimes a glob or one of bash's other forms that become files. */
export function randomOperand(dice: Dice, mood: Mood): string {
  if (dice.chance(mood === "tame" ? 0.04 : 0.12)) return dice.pick(GLOBS);
  if (mood === "hostile" && dice.chance(0.05))
    return dice.pick([
      "{a.txt,lout}",
      "~/.ssh/id_rsa",
      "$HOME",
      "~+/lout",
      "$PWD/a.txt",
      '"$x"',
      "$(echo lout)",
    ]);
  return randomFile(dice, mood);
}

export function randomText(dice: Dice, mood: Mood): string {
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
