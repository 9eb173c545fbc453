import type { Paint } from "../colour.ts";
import type { Editor } from "../input/editor.ts";
import { isKey, type Key } from "../input/keys.ts";
import { visibleText } from "../safe-text.ts";
import { wrapText } from "../wrap.ts";

/** One answer that a question offers. */
export interface OfferedAnswer {
  /** What is typed for it. */
  readonly key: string;
  /** Safe for a terminal. */
  readonly words: string;
  /** Shown below it, as far as there is room. */
  readonly preview?: string;
}

/** The answers to one question, in order: their numbers choose as well. */
export interface Choices {
  readonly answers: readonly OfferedAnswer[];
  /** Several can be chosen: Space marks, and Enter sends their keys. */
  readonly several?: boolean;
  /** What Escape answers; without one, the question stays unanswered. */
  readonly escape?: string;
  /** What Shift-Tab answers; without one, it selects. */
  readonly shiftTab?: string;
}

/** Reads a typed number as the answer with that number; any other line stays as it is. */
export function chosenKey(line: string, { answers }: Choices): string {
  const number = /^\s*(\d{1,3})\s*$/.exec(line)?.[1];
  return (number === undefined ? undefined : answers[Number(number) - 1]?.key) ?? line;
}

/** Returns a line as it stays on the screen, with what it chose. */
export function chosenText(line: string, { answers, several = false }: Choices): string {
  const parts = several ? line.split(",") : [line];
  const chosen = parts.flatMap(
    (part) => answers.find(({ key }) => key === chosenKey(part.trim(), { answers })) ?? [],
  );
  if (chosen.length < parts.length) return line;
  // What follows is how to answer.
  return `${line}  ${chosen.map(({ words }) => words.replace(/;.*/s, "")).join("; ")}`;
}

/** Where a question is drawn. */
interface Room {
  readonly columns: number;
  readonly paint: Paint;
}

/** Returns the answers as numbered rows. */
export function answerRows(
  { answers }: Choices,
  { columns, paint }: Room,
  {
    selected = null,
    marked,
  }: { readonly selected?: number | null; readonly marked?: ReadonlySet<number> } = {},
): readonly (readonly string[])[] {
  return answers.map(({ key, words, preview }, at) => {
    const number = String(at + 1);
    const mark = marked === undefined ? "" : marked.has(at) ? "[x] " : "[ ] ";
    const name = `${number === key ? key : `${number} ${key}`}  ${mark}`;
    const isSelected = selected === at;
    const lead = isSelected ? "❯ " : "  ";
    const width = lead.length + name.length;
    const rows = wrapText(words, columns, " ".repeat(width)).map((row, index) => {
      const text = row.slice(width);
      const head = index === 0 ? lead + paint("bold", name) : " ".repeat(width);
      return head + (isSelected ? paint("cyan", text) : text);
    });
    const isShown = preview !== undefined && (selected === null || isSelected);
    return [...rows, ...(isShown ? wrapText(visibleText(preview), columns, "     │ ") : [])];
  });
}

/** The answers above the line that is typed: a key and Enter, a number and Enter, or the arrow keys and Enter. */
export function createChoiceForm(
  choices: Choices,
  paint: Paint,
  edit: (onLine: (line: string) => void) => Editor,
  onLine: (line: string) => void,
): Editor {
  const { answers, several = false } = choices;
  const marked = new Set<number>();
  let selected: number | null = null;
  const editor = edit(onLine);
  const move = (by: number): void => {
    const from = selected ?? (by > 0 ? -1 : 0);
    selected = (from + by + answers.length) % answers.length;
  };
  const submit = (at: number): void => {
    const numbers = marked.size > 0 ? [...marked].toSorted((one, other) => one - other) : [at];
    onLine(numbers.flatMap((number) => answers[number]?.key ?? []).join(","));
  };
  /** Returns false for a key of the line. */
  const take = (key: Key): boolean => {
    if (editor.shown !== "" || answers.length === 0) return false;
    if (isKey(key, "down") || isKey(key, "tab")) move(1);
    else if (isKey(key, "shift+tab") && choices.shiftTab !== undefined) onLine(choices.shiftTab);
    else if (isKey(key, "up") || isKey(key, "shift+tab")) move(-1);
    else if (isKey(key, "escape")) selected = null;
    else if (selected === null) return false;
    else if (isKey(key, "enter")) submit(selected);
    else if (several && isKey(key, "space")) {
      if (!marked.delete(selected)) marked.add(selected);
    } else return false;
    return true;
  };
  return {
    get shown() {
      return editor.shown;
    },
    get text() {
      return editor.text;
    },
    get isMenuOpen() {
      return selected !== null || editor.shown !== "";
    },
    type(key) {
      if (take(key)) return;
      selected = null;
      if (isKey(key, "escape")) editor.set("");
      else editor.type(key);
    },
    set: editor.set,
    rows(prompt, { columns, most }) {
      const line = editor.rows(prompt, { columns, most });
      const marks = several ? { marked } : {};
      const shown = answerRows(choices, { columns, paint }, { selected, ...marks });
      const above = windowOf(shown, selected ?? 0, Math.max(0, most - line.rows.length), paint);
      return {
        rows: [...above, ...line.rows],
        cursor: { ...line.cursor, row: line.cursor.row + above.length },
      };
    },
    close: editor.close,
  };
}

/** Returns as many rows as fit, with those of the selected answer. */
function windowOf(
  shown: readonly (readonly string[])[],
  selected: number,
  room: number,
  paint: Paint,
): readonly string[] {
  const rows = shown.flat();
  if (rows.length <= room) return rows;
  if (room < 2) return rows.slice(0, room);
  const before = shown.slice(0, selected).flat().length;
  const height = shown[selected]?.length ?? 0;
  const first = Math.max(0, Math.min(before, rows.length - (room - 1), before + height - (room - 1)));
  const start = before < room - 1 && before + height <= room - 1 ? 0 : first;
  return [...rows.slice(start, start + room - 1), paint("dim", "  ↑ ↓ show more answers")];
}
