import { safeText } from "../../terminal/safe-text.ts";
import { wrapLine } from "../../terminal/wrap.ts";

/** A reply being written, as rows of a terminal. */
export interface ReplyText {
  /** The incomplete row; empty at the start of a line. */
  readonly tail: string;
  /** Adds a piece and returns the rows that will not change again. */
  add(piece: string, columns: number): string[];
  /** Ends the incomplete line. */
  end(): string[];
}

/** Breaks longer lines: each piece would count their rows again. */
const LONGEST_LINE = 4000;

export function createReplyText(): ReplyText {
  /** Possibly half a character or half an escape sequence. */
  let held = "";
  let line = "";
  /** Rows of the line already returned. */
  let given = 0;
  /** As it was at the line's start: rows already returned must not be counted again. */
  let width = 80;

  const finish = (): string[] => {
    const rows = wrapLine(line, width).slice(given);
    line = "";
    given = 0;
    return rows;
  };
  return {
    get tail() {
      return line === "" ? "" : (wrapLine(line, width)[given] ?? "");
    },
    add(piece, columns) {
      const text = held + piece;
      const end = wholeUpTo(text);
      held = text.slice(end);
      const [first = "", ...others] = safeText(text.slice(0, end)).split("\n");
      if (line === "") width = columns;
      line += first;
      const rows: string[] = [];
      for (const other of others) {
        rows.push(...finish());
        width = columns;
        line = other;
      }
      if (line.length > LONGEST_LINE) rows.push(...finish());
      const open = wrapLine(line, width);
      rows.push(...open.slice(given, -1));
      given = Math.max(given, open.length - 1);
      return rows;
    },
    end() {
      line += safeText(held);
      held = "";
      return line === "" ? [] : finish();
    },
  };
}

/** Returns where a text can be cut without splitting a character, a line break or a short escape sequence. */
function wholeUpTo(text: string): number {
  const begun = text.lastIndexOf("\u001b");
  if (begun >= 0 && begun > text.length - 12 && !/[A-Za-z~\n]/.test(text.slice(begun))) return begun;
  return /[\r\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}
