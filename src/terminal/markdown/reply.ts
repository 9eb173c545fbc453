import type { Paint } from "../colour.ts";
import { type BlockPage, blockRows, type ColourLine, codeRows, itemRows } from "./blocks.ts";
import { type CodeLanguages, createLanguages, type Highlighter, plainLine } from "./highlight.ts";
import { hasLooks } from "./inline.ts";
import { createOpenTail, type ReplyPart } from "./open-tail.ts";
import { type TableWidths, tableRows } from "./table.ts";

/** A reply being written, as rows of a terminal. */
export interface ReplyText {
  /** The last rows of the part that may still change, at most `OPEN_ROWS`; empty at the start of a block. */
  readonly tail: readonly string[];
  /** Adds a piece and returns the rows that will not change again. */
  add(piece: string, columns: number): string[];
  /** Ends the open part. */
  end(): string[];
}

export interface MarkdownLooks {
  readonly paint: Paint;
  /** Returns the directory that relative paths are of. */
  cwd(): string;
}

const OPEN_ROWS = 6;
/** Lines of code that wait for their colours. */
const MOST_HELD = 200;
const WIDE = 80;

export type Markdown = ReturnType<typeof createMarkdown>;

/** Makes replies of Markdown. */
export function createMarkdown(looks: MarkdownLooks) {
  const languages = createLanguages();
  const reply = () => createReply(looks, languages);
  return {
    reply,
    /** Returns all rows of a whole text. */
    rows(text: string, columns: number): string[] {
      const whole = reply();
      return [...whole.add(text, columns), ...whole.end()];
    },
    /** Resolves when the code in this text can be coloured. Never rejects. */
    ready: (text: string) => (hasColours(looks) ? languages.load(text) : Promise.resolve()),
  };
}

function hasColours({ paint }: MarkdownLooks): boolean {
  return hasLooks({ paint, columns: WIDE, cwd: "" });
}

/** A code block that is being shown. */
interface CodeState {
  readonly language: string;
  highlighter: Highlighter | "soon" | null;
}

function createReply(looks: MarkdownLooks, languages: CodeLanguages): ReplyText {
  let parts = createOpenTail();
  let columns = WIDE;
  let hasRows = false;
  let code: CodeState = { language: "", highlighter: null };
  let widths: TableWidths | null = null;
  /** Lines of code whose language is not loaded yet, and all that follows. */
  let held: ReplyPart[] = [];
  let tail: readonly string[] | null = null;

  const start = (language: string) => (hasColours(looks) ? languages.start(language) : null);
  const page = (): BlockPage => ({
    ...{ columns, paint: looks.paint, cwd: looks.cwd() },
    colours(language): ColourLine {
      const highlighter = start(language);
      return highlighter === null || highlighter === "soon" ? plainLine : highlighter.line;
    },
  });
  /** `isOpen`: the part will be drawn again. */
  const draw = (part: ReplyPart, isOpen: boolean): string[] => {
    switch (part.type) {
      case "block":
        return blockRows(part.block, page());
      case "item":
        return itemRows(part.item, part.number, page());
      case "table": {
        const drawn = tableRows({ table: part.table, before: part.goesOn ? widths : null }, page());
        if (!isOpen) widths = drawn.widths;
        return drawn.rows;
      }
      case "code": {
        const highlighter = isOpen && part.language !== undefined ? start(part.language) : code.highlighter;
        if (highlighter === null || highlighter === "soon") return codeRows(part.line, plainLine, page());
        return codeRows(part.line, isOpen ? highlighter.peek : highlighter.line, page());
      }
      default:
        return part satisfies never;
    }
  };
  const drawAll = (all: readonly ReplyPart[]): string[] =>
    all.flatMap((part) => {
      const rows = draw(part, false);
      const above = part.gap && hasRows ? [""] : [];
      hasRows ||= rows.length > 0;
      return rows.length > 0 ? [...above, ...rows] : [];
    });
  /** Lines of code wait until their language is there, or too many wait. */
  const release = (isOver: boolean): string[] => {
    const rows: string[] = [];
    for (let part = held[0]; part !== undefined; part = held[0]) {
      if (part.type === "code") {
        if (part.language !== undefined)
          code = { language: part.language, highlighter: start(part.language) };
        else if (code.highlighter === "soon") code.highlighter = start(code.language);
        if (code.highlighter === "soon" && !isOver && held.length < MOST_HELD) break;
        if (code.highlighter === "soon") code.highlighter = null;
      }
      held.shift();
      rows.push(...drawAll([part]));
    }
    return rows;
  };

  const open = (): string[] => {
    const rows: string[] = [];
    for (const part of [...held, ...parts.open()]) {
      if (part.gap && (hasRows || rows.length > 0)) rows.push("");
      rows.push(...draw(part, true));
    }
    return rows.slice(-OPEN_ROWS);
  };
  return {
    get tail() {
      tail ??= open();
      return tail;
    },
    add(piece, width) {
      columns = width;
      tail = null;
      held.push(...parts.add(piece));
      return release(false);
    },
    end() {
      tail = null;
      held.push(...parts.end());
      const rows = release(true);
      parts = createOpenTail();
      held = [];
      hasRows = false;
      return rows;
    },
  };
}
