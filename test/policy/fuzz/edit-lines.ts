import { type Dice, list } from "./dice.ts";
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
const LONGS = list(`
  --parents ;; --verbose ;; --force ;; --no-clobber ;; --recursive ;; --archive ;; --target-directory=docs ;; --backup ;; --suffix=rc
  ;; --no-target-directory ;; --reference=lout ;; --mode=700 ;; --attributes-only ;; --link ;; --symbolic-link ;; --update
  ;; --strip-trailing-slashes ;; --dereference ;; --no-dereference ;; --preserve=all ;; --sparse=never ;; --par ;; --targ=.git
  ;; --suff=c ;; --in-place ;; --in-place=rc ;; --follow-symlinks ;; --copy-contents ;; --remove-destination ;; --target-dir ldir`);
const SHORTS = list(
  "-t docs ;; -tdocs ;; -t ldir ;; -S rc ;; -Src ;; -b ;; -irc ;; -i.bak ;; -m 777 ;; -d x ;; -r lout ;; -vt new ;; -fbS c ;; -Z",
);
/** Names that do not exist yet, some of which are protected, lead out, or will after another part. */
const NEW = list(`
  new ;; new/deep ;; src/new.ts ;; docs/new ;; d2 ;; d2/rc ;; d2/lsec ;; d2/ldir2 ;; d2/ldir2/y ;; new/lsec ;; new/lout2 ;; d3 ;; d3/lout2
  ;; x.bak ;; .npmrc ;; .npm ;; .env ;; .envrc ;; .git/hooks/x ;; docs/.bashrc ;; ldir/new ;; dangling ;; lup/new ;; lsrc/new ;; .GIT/x
  ;; new/.vscode ;; .husky/x ;; objects ;; refs ;; HEAD ;; commondir ;; config ;; .claude/x ;; src/.. ;; ./. ;; lin ;; lenv ;; .. ;; ~/x
  ;; /tmp/x ;; .gitmodules ;; .npmrc. ;; x/.git ;; docs/lsec ;; almost/refs ;; new/.env ;; d2/.npmrc ;; .git ;; trap/objects ;; lsrc`);
const TAME_NEW = list("new ;; new/deep ;; src/new.ts ;; docs/new ;; d2 ;; d3 ;; x.bak ;; src/x ;; pkg/y");
const FOLLOWING = list(`
  git status ;; git diff HEAD~1 HEAD ;; echo 'ref: refs/heads/main' > HEAD ;; mkdir objects refs ;; rg foo * ;; cat d2/* ;; cat new
  ;; sort * ;; cd d2 && touch rc ;; cp lout new ;; mv lout new ;; mv .env new ;; cp -r . new ;; ls d2/* ;; ls | tee x ;; mkdir refs
  ;; for f in x y; do touch "$f"; done ;; cp -r docs d2 ;; mv docs d2 ;; mv src d3 ;; cp -a src new ;; mv ldir new ;; cp -P lout d2
  ;; cd almost ;; cp trap/HEAD . ;; mv bare/* . ;; cp bare/config . ;; touch a 'b c' ;; cp a.txt d2/lsec ;; grep -r KEY . ;; cat d2/lsec`);

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
  const tame = [`cd ${name()}`, `ls ${name()}`, `cat ${name()}`, `echo x > ${name()}`, "ls", "cd docs"];
  const into = [
    `echo x >> ${name()}`,
    `: > ${name()}`,
    `cat a.txt >| ${name()}`,
    `cat < ${name()}`,
    `rg foo ${name()}`,
  ];
  return dice.pick(mood === "tame" ? tame : [...tame, ...into, ...FOLLOWING]);
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
        return dice.pick(SHORTS);
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
