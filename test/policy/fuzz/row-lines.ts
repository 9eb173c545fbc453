import type { Dice } from "./dice.ts";
import type { HelpOptions } from "./help-options.ts";
import type { FuzzRow, RowOption } from "./rows.ts";
import { LETTERS, type Mood, randomFile, randomNumber, randomOperand, randomText } from "./words.ts";

/** Words of one command of the table: its options in every form that getopt knows, and operands in any order. */
export function randomRowCommand(dice: Dice, row: FuzzRow, help: HelpOptions, mood: Mood): string {
  const options = dice.several(0, mood === "tame" ? 2 : 3, () =>
    mood === "hostile" && dice.chance(0.55)
      ? strangeOption(dice, row, help, mood)
      : listedOption(dice, row.plain, mood),
  );
  const operands = randomOperands(dice, row, mood);
  if (dice.chance(0.12)) return [row.name, ...options, "--", ...operands].join(" ");
  const words = dice.chance(0.3) ? dice.shuffle([...options, ...operands]) : [...options, ...operands];
  return [row.name, ...words].join(" ");
}

function randomOperands(dice: Dice, row: FuzzRow, mood: Mood): string[] {
  const surplus = mood === "hostile" && dice.chance(0.2) ? 1 : 0;
  const files = (least: number, most: number) =>
    dice.several(least, most + surplus, () => randomOperand(dice, mood));
  switch (row.operands) {
    case "files":
      return files(["comm", "join", "cmp", "diff"].includes(row.name) ? 2 : 0, 2);
    case "pattern":
      return [randomText(dice, mood), ...files(0, 2)];
    case "script":
      return [
        dice.pick(["'{print $1}'", "/foo/", ".", ".x", "'NR==2'", randomText(dice, "tame")]),
        ...files(0, 2),
      ];
    case "one":
      return files(0, 1);
    case "text":
      return dice.several(0, 2 + surplus, () => randomText(dice, mood));
    case "numbers":
      return dice.several(1, 2 + surplus, () => (row.name === "sleep" ? "0.01" : randomNumber(dice)));
    case "none":
      if (row.name === "date") return dice.several(0, 1, () => dice.pick(["+%s", "+%F", "'+%H %M'"]));
      return surplus > 0 ? [randomText(dice, mood)] : [];
  }
  row.operands satisfies never;
}

function randomValue(dice: Dice, { kind }: RowOption, mood: Mood): string {
  if (kind === "number" && !(mood === "hostile" && dice.chance(0.15))) return randomNumber(dice);
  return kind === "path" ? randomFile(dice, mood) : randomText(dice, mood);
}

const cluster = (dice: Dice, letters: string): string =>
  dice.several(1, 3, () => letters[dice.below(letters.length)] ?? "").join("");

const isShort = ({ name }: RowOption) => name.length === 2;
const flagLetters = (options: readonly RowOption[]): string =>
  options.flatMap((one) => (isShort(one) && one.value === "none" ? one.name.slice(1) : [])).join("");

/** One of these options, written as it may be: alone, clustered, its value glued, behind `=`, or the next word. */
function listedOption(dice: Dice, options: readonly RowOption[], mood: Mood): string {
  if (options.length === 0) return "";
  const option = dice.pick(options);
  const { name, value } = option;
  const letters = flagLetters(options);
  if (!isShort(option)) {
    if (value === "none" || (value === "optional" && dice.chance(0.5))) return name;
    return `${name}${value === "optional" || dice.chance(0.7) ? "=" : " "}${randomValue(dice, option, mood)}`;
  }
  if (value === "none") return /\d/.test(name) ? name : `-${cluster(dice, letters)}`;
  const before = dice.chance(0.3) ? cluster(dice, letters) : "";
  return `-${before}${name.slice(1)}${dice.chance(0.5) ? " " : ""}${randomValue(dice, option, mood)}`;
}

/** What the row does not list, or in a form that few expect. */
function strangeOption(dice: Dice, row: FuzzRow, help: HelpOptions, mood: Mood): string {
  const value = () => (dice.chance(0.5) ? randomFile(dice, mood) : randomText(dice, mood));
  const all = [...row.plain, ...row.known].flatMap((one) => (isShort(one) ? one.name.slice(1) : []));
  const letters = `${all.join("")}${help.letters.join("")}` || LETTERS;
  switch (dice.below(9)) {
    case 0:
      return `-${cluster(dice, LETTERS)}`;
    case 1:
      return `-${cluster(dice, flagLetters(row.plain) || LETTERS)}${dice.pick([...LETTERS])}${dice.pick(["", " ", "="])}${value()}`;
    case 2:
      return `-${cluster(dice, letters)}${dice.pick(["", " ", "="])}${value()}`;
    case 3:
    case 4:
      return abbreviated(dice, help, value) ?? `-${cluster(dice, letters)}`;
    case 5:
      return dice.pick([
        ..."- -- -5 +5 -5k --=x -= --help --version -0 + -. -@".split(" "),
        ...["-''", '"-"', "--''"],
      ]);
    case 6:
      return `-${dice.pick([...letters])} ${value()}`;
    case 7:
      return listedOption(dice, row.known, mood);
    default:
      return value();
  }
}

/** A long name that the program itself lists, often shortened. */
function abbreviated(dice: Dice, help: HelpOptions, value: () => string): string | null {
  if (help.longs.length === 0) return null;
  const { name, value: takes } = dice.pick(help.longs);
  const written = dice.chance(0.5) ? name : name.slice(0, 1 + dice.below(name.length));
  const hasValue = takes === "none" ? dice.chance(0.05) : takes === "required" || dice.chance(0.5);
  return `--${written}${hasValue ? `${dice.pick(["=", " ", "", "=", " "])}${value()}` : ""}`;
}
