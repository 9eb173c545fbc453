// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import type { Dice } from "./dice.ts";
import type { HelpOptions } from "./help-options.ts";
import { randomRowCommand } from "./row-lines.ts";
import type { FuzzRow } from "./rows.ts";
import { specialCommands } from "./special-commands.ts";
import { type Mood, randomFile, randomOperand } from "./words.ts";

export interface Line {
  readonly text: string;
  /** The row or the special command that it is about. */
  readonly row: string;
  readonly mood: Mood;
}

export interface Known {
  readonly row: FuzzRow;
  readonly help: HelpOptions;
}

/** A line of commands that read: most are one command, the others are put together as bash allows. */
export function randomReadLine(dice: Dice, known: readonly Known[], only: string | null): Line {
  const mood: Mood = dice.chance(0.55) ? "tame" : "hostile";
  const names = Object.keys(specialCommands);
  const choose = (): { text: string; row: string } => {
    const isSpecial = only === null ? dice.chance(0.35) : only in specialCommands;
    if (isSpecial) {
      const row = only ?? dice.pick(names);
      return { text: specialCommands[row]?.(dice, mood) ?? "", row };
    }
    const among = only === null ? known : known.filter(({ row }) => row.name === only);
    const { row, help } = dice.pick(among);
    return { text: randomRowCommand(dice, row, help, mood), row: row.name };
  };
  const { text, row } = choose();
  const others = (least: number, most: number) => {
    const texts = dice.several(least, most, () => simple(dice, known, mood));
    texts.splice(dice.below(texts.length + 1), 0, text);
    return texts;
  };
  return { text: compose(dice, text, others, mood), row, mood };
}

/** Any command, as company for the one that a line is about. */
function simple(dice: Dice, known: readonly Known[], mood: Mood): string {
  if (dice.chance(0.5)) return specialCommands[dice.pick(Object.keys(specialCommands))]?.(dice, mood) ?? "ls";
  const { row, help } = dice.pick(known);
  return randomRowCommand(dice, row, help, mood);
}

function compose(
  dice: Dice,
  text: string,
  others: (least: number, most: number) => string[],
  mood: Mood,
): string {
  const hostile = mood === "hostile";
  switch (dice.below(20)) {
    case 0:
    case 1:
      return others(1, 2).join(" | ");
    case 2:
      return others(1, 2).join(dice.pick([" && ", "; ", " || ", "\n"]));
    case 3:
      return `${text} ${dice.pick(["2>/dev/null", ">/dev/null", "2>&1", "&>/dev/null", "</dev/null"])}`;
    case 4:
      return `${text} < ${randomFile(dice, mood)}`;
    case 5:
      return `${text} <<< ${hostile ? dice.pick(["$(cat lout)", "'foo'", "$HOME", "lout"]) : "'foo bar'"}`;
    case 6:
      return `for f in ${dice.several(1, 2, () => randomOperand(dice, mood)).join(" ")}; do ${text.replace(/a\.txt/, '"$f"')}; done`;
    case 7:
      return dice.pick([
        `(${text})`,
        `{ ${text}; }`,
        `! ${text}`,
        `if ${text}; then pwd; fi`,
        `time ${text}`,
        `${text} &`,
      ]);
    case 8:
      return `${dice.pick(["timeout 5", "nice", "nice -n 5", "nohup", "stdbuf -oL", "time", "command", "builtin", "timeout -k 1 5"])} ${text}`;
    case 9:
      return `echo "$(${text})"`;
    case 10:
      return hostile
        ? `${text} ${dice.pick([`> ${randomFile(dice, mood)}`, ">x", `>>${randomFile(dice, mood)}`, "2>x", "<>x", `<(${text})`, ">| x", "&>x"])}`
        : text;
    case 11:
      return `${dice.pick(["cd src", "cd docs", "cd ./pkg", ...(hostile ? ["cd bare", "cd trap", "cd nested", "cd ldir", "cd lsrc"] : [])])} && ${text}`;
    default:
      return text;
  }
}
