import type { Dice } from "./dice.ts";
import type { Line } from "./read-lines.ts";
import { LETTERS, type Mood, randomFile, randomOperand, randomText, spell } from "./words.ts";

const FLAGS: Readonly<Record<string, string>> = {
  mkdir: "pv",
  touch: "acm",
  rm: "rfvRdiI",
  rmdir: "pv",
  mv: "fnvuiT",
  cp: "rRpafnvudlLHPsxT",
  sed: "nErsuz",
};
const LONGS = [
  ...[
    "--parents",
    "--verbose",
    "--force",
    "--no-clobber",
    "--recursive",
    "--archive",
    "--target-directory=docs",
    "--backup",
  ],
  ...[
    "--suffix=rc",
    "--no-target-directory",
    "--reference=lout",
    "--mode=700",
    "--attributes-only",
    "--link",
    "--symbolic-link",
  ],
  ...[
    "--update",
    "--strip-trailing-slashes",
    "--dereference",
    "--no-dereference",
    "--preserve=all",
    "--sparse=never",
    "--par",
  ],
  ...[
    "--targ=.git",
    "--suff=c",
    "--in-place",
    "--in-place=rc",
    "--follow-symlinks",
    "--copy-contents",
    "--remove-destination",
  ],
];
/** Names that do not exist yet, some of which are protected or lead out. */
const NEW = [
  ...[
    "new",
    "new/deep",
    "src/new.ts",
    "docs/new",
    "d2",
    "d2/rc",
    "d3",
    "x.bak",
    ".npmrc",
    ".npm",
    ".env",
    ".envrc",
    ".git/hooks/x",
  ],
  ...[
    "docs/.bashrc",
    "ldir/new",
    "dangling",
    "lup/new",
    "lsrc/new",
    ".GIT/x",
    "new/.vscode",
    ".husky/x",
    "objects",
    "refs",
    "HEAD",
  ],
  ...[
    "commondir",
    "config",
    ".claude/x",
    "src/..",
    "./.",
    "lin",
    "lenv",
    "..",
    "~/x",
    "/tmp/x",
    ".gitmodules",
    ".npmrc.",
    "x/.git",
  ],
];
const TAME_NEW = ["new", "new/deep", "src/new.ts", "docs/new", "d2", "d3", "x.bak", "src/x", "pkg/y"];

/** A line of workspace file commands, redirects and the readings that may follow them. */
export function randomEditLine(dice: Dice, only: string | null): Line {
  const mood: Mood = dice.chance(0.55) ? "tame" : "hostile";
  const name = only ?? dice.pick(Object.keys(FLAGS));
  const parts = [
    part(dice, name, mood),
    ...dice.several(0, dice.chance(0.4) ? 2 : 0, () => companion(dice, mood)),
  ];
  const ordered = dice.chance(0.5) ? parts : parts.reverse();
  return { text: ordered.join(dice.pick([" && ", "; ", " && ", " || "])), row: name, mood };
}

function companion(dice: Dice, mood: Mood): string {
  if (dice.chance(0.5)) return part(dice, dice.pick(Object.keys(FLAGS)), mood);
  const name = () => fresh(dice, mood);
  const tame = [`cd ${name()}`, `ls ${name()}`, `cat ${name()}`, `echo x > ${name()}`, "ls", `cd docs`];
  const hostile = [
    ...[
      "git status",
      "git diff HEAD~1 HEAD",
      "echo 'ref: refs/heads/main' > HEAD",
      "mkdir objects refs",
      "rg foo *",
      "cat d2/*",
    ],
    ...[
      `echo x >> ${name()}`,
      `: > ${name()}`,
      `cat a.txt >| ${name()}`,
      `for f in x y; do touch "$f"; done`,
      "cat new",
      "sort *",
    ],
    ...[
      "ls | tee x",
      `cat < ${name()}`,
      "cd d2 && touch rc",
      "cp lout new",
      "mv lout new",
      "mv .env new",
      "cp -r . new",
      "ls d2/*",
    ],
  ];
  return dice.pick(mood === "tame" ? tame : [...tame, ...hostile]);
}

function fresh(dice: Dice, mood: Mood): string {
  return spell(dice, dice.pick(mood === "tame" ? TAME_NEW : [...TAME_NEW, ...NEW, ...NEW]));
}

function part(dice: Dice, name: string, mood: Mood): string {
  const letters = FLAGS[name] ?? "";
  const known = () => `-${dice.several(1, 2, () => letters[dice.below(letters.length)] ?? "").join("")}`;
  const options = dice.several(0, 2, () => {
    if (mood === "tame" || dice.chance(0.4)) return known();
    switch (dice.below(5)) {
      case 0:
        return `-${dice.several(1, 3, () => dice.pick([...LETTERS])).join("")}`;
      case 1:
        return dice.pick(LONGS);
      case 2:
        return `${known()}${dice.pick(["t", "S", "b", "m", "Z", "d", "r"])}${dice.pick(["", " "])}${fresh(dice, mood)}`;
      case 3:
        return dice.pick([
          "-t docs",
          "-tdocs",
          "-t ldir",
          "-S rc",
          "-Src",
          "-b",
          "-irc",
          "-i.bak",
          "-m 777",
          "-d x",
          "-r lout",
        ]);
      default:
        return known();
    }
  });
  const old = () => (dice.chance(0.2) ? randomOperand(dice, mood) : randomFile(dice, mood));
  const operands = ((): string[] => {
    switch (name) {
      case "mkdir":
      case "touch":
        return dice.several(1, 2, () => fresh(dice, mood));
      case "cp":
      case "mv":
        return [...dice.several(1, 2, old), dice.chance(0.7) ? fresh(dice, mood) : randomFile(dice, mood)];
      case "sed":
        return [
          dice.pick([
            "-i",
            "-i",
            "-Ei",
            "-i -E",
            ...(mood === "tame" ? [] : ["-irc", "-ni", "--in-place", "-si", "-iE"]),
          ]),
          dice.pick([
            "s/foo/bar/",
            "1d",
            "'s/a/b/g;2d'",
            ...(mood === "tame"
              ? []
              : ["'w .npmrc'", "'s/a/b/w x'", "1e", "'r lout'", randomText(dice, mood)]),
          ]),
          ...dice.several(1, 2, old),
        ];
      default:
        return dice.several(1, 2, old);
    }
  })();
  const words =
    dice.chance(0.25) && name !== "sed" ? dice.shuffle([...options, ...operands]) : [...options, ...operands];
  return [name, ...words].join(" ");
}
