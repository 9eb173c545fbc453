import type { Dice } from "./dice.ts";
import type { HelpOptions } from "./help-options.ts";
import type { Kind, Row } from "./rows.ts";
import { LETTERS, type Mood, randomFile, randomNumber, randomOperand, randomText } from "./words.ts";

/** Words of one command of the table: its options in every form that getopt knows, and operands in any order. */
export function randomRowCommand(dice: Dice, row: Row, help: HelpOptions, mood: Mood): string {
  const options = dice.several(0, mood === "tame" ? 2 : 3, () =>
    mood === "hostile" && dice.chance(0.55)
      ? strangeOption(dice, row, help, mood)
      : listedOption(dice, row, help, mood),
  );
  const operands = randomOperands(dice, row, mood);
  if (dice.chance(0.12)) return [row.name, ...options, "--", ...operands].join(" ");
  const words = dice.chance(0.3) ? dice.shuffle([...options, ...operands]) : [...options, ...operands];
  return [row.name, ...words].join(" ");
}

function randomOperands(dice: Dice, row: Row, mood: Mood): string[] {
  const surplus = mood === "hostile" && dice.chance(0.2) ? 1 : 0;
  const files = (least: number, most: number) =>
    dice.several(least, most + surplus, () => randomOperand(dice, mood));
  switch (row.operands) {
    case "files":
      return files(["comm", "join", "cmp", "diff"].includes(row.name) ? 2 : 0, 2);
    case "pattern":
      return [randomText(dice, mood), ...files(0, 2)];
    case "one file":
      return files(0, 1);
    case "text":
      return row.name === "date"
        ? dice.several(0, 1, () => dice.pick(["+%s", "+%F", "'+%H %M'"]))
        : dice.several(0, 2 + surplus, () => randomText(dice, mood));
    case "number":
      return dice.several(1, 2 + surplus, () => randomNumber(dice));
    case "none":
      return surplus > 0 ? [randomText(dice, mood)] : [];
  }
  row.operands satisfies never;
}

function randomValue(dice: Dice, kind: Kind, mood: Mood): string {
  if (kind === "number" && !(mood === "hostile" && dice.chance(0.15))) return randomNumber(dice);
  return kind === "files" ? randomFile(dice, mood) : randomText(dice, mood);
}

const cluster = (dice: Dice, letters: string): string =>
  dice.several(1, 3, () => letters[dice.below(letters.length)] ?? "").join("");

/** What the row lists, written as it may be. */
function listedOption(dice: Dice, row: Row, help: HelpOptions, mood: Mood): string {
  const valued = Object.keys(row.values);
  const choice = dice.below(10);
  if (choice < 5 && row.flags !== "") return `-${cluster(dice, row.flags)}`;
  if (choice < 8 && valued.length > 0) {
    const letter = dice.pick(valued);
    const value = randomValue(dice, row.values[letter] ?? "text", mood);
    const before = dice.chance(0.3) && row.flags !== "" ? cluster(dice, row.flags) : "";
    return `-${before}${letter}${dice.chance(0.5) ? " " : ""}${value}`;
  }
  if (row.longs.length > 0 && dice.chance(0.6)) {
    const [name = "", of] = dice.pick(row.longs).split(/=/);
    if (of === undefined || (of === "?" && dice.chance(0.5))) return `--${name}`;
    const value = randomValue(dice, of === "P" ? "files" : "text", mood);
    return `--${name}${of === "?" || dice.chance(0.7) ? "=" : " "}${value}`;
  }
  const plain = help.longs.filter(({ value }) => value === "none");
  if (plain.length > 0 && dice.chance(0.4)) return `--${dice.pick(plain).name}`;
  return row.flags === "" ? "" : `-${cluster(dice, row.flags)}`;
}

/** What the row does not list, or in a form that few expect. */
function strangeOption(dice: Dice, row: Row, help: HelpOptions, mood: Mood): string {
  const value = () => (dice.chance(0.5) ? randomFile(dice, mood) : randomText(dice, mood));
  const letters = `${row.flags}${Object.keys(row.values).join("")}${help.letters.join("")}`;
  const glue = () => dice.pick(["", " ", "="]);
  switch (dice.below(8)) {
    case 0:
      return `-${cluster(dice, LETTERS)}`;
    case 1:
      return `-${cluster(dice, row.flags || LETTERS)}${dice.pick([...LETTERS])}${glue()}${value()}`;
    case 2:
      return `-${cluster(dice, letters || LETTERS)}${glue()}${value()}`;
    case 3:
    case 4: {
      if (help.longs.length === 0) return `-${cluster(dice, letters || LETTERS)}`;
      const { name, value: takes } = dice.pick(help.longs);
      const written = dice.chance(0.5) ? name : name.slice(0, 1 + dice.below(name.length));
      if (takes === "none" || (takes === "optional" && dice.chance(0.5)))
        return dice.chance(0.1) ? `--${written}=${value()}` : `--${written}`;
      return `--${written}${dice.pick(["=", " ", "", "=", " "])}${value()}`;
    }
    case 5:
      return dice.pick([
        "-",
        "--",
        "-5",
        "+5",
        "-5k",
        "--=x",
        "-=",
        "--help",
        "--version",
        "-0",
        "+",
        "-.",
        "-@",
      ]);
    case 6:
      return `-${dice.pick([...(letters || LETTERS)])} ${value()}`;
    default:
      return value();
  }
}
