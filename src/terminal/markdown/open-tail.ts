import { safeText } from "../safe-text.ts";
import { endsBlank } from "./blocks.ts";
import { lexBlocks, type Token, type Tokens } from "./lexer.ts";

/** A part of a reply. `gap`: an empty line comes before it. */
export type ReplyPart = { readonly gap: boolean } & (
  | { readonly type: "block"; readonly block: Token }
  /** `number`: null in a list without an order. */
  | { readonly type: "item"; readonly item: Tokens.ListItem; readonly number: number | null }
  /** A table, or (`goesOn`) more rows of the one before. */
  | { readonly type: "table"; readonly table: Tokens.Table; readonly goesOn: boolean }
  /** A line of code; `language` with the first one. */
  | { readonly type: "code"; readonly line: string; readonly language?: string }
);

/** Characters of a line, and of a block, at which it is broken. A list keeps its last item, which may be long. */
const LONGEST = 4000;
const LONGEST_ITEM = 8000;
/** The lexer needs quadratic time for its lines. */
const LONGEST_QUOTE = 1500;
const MOST_TABLE_ROWS = 40;
/** Lists in lists, and quotes in quotes. */
const DEEPEST = 16;
const DEEPEST_INDENT = 64;

/** What is known of the lines before the open ones. */
interface Before {
  /** Whole lines of the open block. */
  readonly tail: string;
  /** The last block in `tail`. */
  readonly last: Token["type"] | null;
  /** An empty line. */
  readonly gap: boolean;
  readonly fence: OpenFence | null;
  /** The number of the next item, if some items of this list are final. */
  readonly next: number | null;
  /** The header of a table that has some final rows. */
  readonly head: string | null;
}

const NOTHING: Before = { tail: "", last: null, gap: false, fence: null, next: null, head: null };

interface Step {
  readonly parts: readonly ReplyPart[];
  readonly after: Before;
}

/**
 * Cuts a reply into parts as it arrives. What is final depends on whole lines only, never on the pieces that they came
 * in. Everything but the last block is final; so are the lines of a code block and the items of a list but the last.
 */
export function createOpenTail() {
  let raw = "";
  let before = NOTHING;
  const take = (line: string): readonly ReplyPart[] => {
    const { parts, after } = addLine(before, safeText(line.endsWith("\r") ? line.slice(0, -1) : line));
    before = after;
    return parts;
  };
  return {
    /** Returns the parts that are final now. */
    add(piece: string): ReplyPart[] {
      raw += piece;
      const parts: ReplyPart[] = [];
      let from = 0;
      for (;;) {
        const end = raw.indexOf("\n", from);
        if ((end < 0 ? raw.length : end) - from > LONGEST) {
          const cut = from + placeToCut(raw.slice(from, from + LONGEST));
          parts.push(...take(raw.slice(from, cut)), ...flush());
          from = cut;
          continue;
        }
        if (end < 0) break;
        parts.push(...take(raw.slice(from, end)));
        from = end + 1;
      }
      raw = raw.slice(from);
      return parts;
    },
    /** Returns the rest, as it looks now. */
    open(): ReplyPart[] {
      const text = safeText(raw.slice(0, wholeUpTo(raw)));
      if (before.fence !== null)
        return text === "" || /^ {0,3}[`~]+$/.test(text) ? [] : codeLine(before, before.fence, text);
      return finish({ ...before, tail: before.tail + shallow(before, text) });
    },
    /** Ends the reply: the rest is final. */
    end(): ReplyPart[] {
      const parts = [...(raw === "" ? [] : take(raw)), ...finish(before)];
      raw = "";
      before = NOTHING;
      return parts;
    },
  };

  /** A paragraph is broken; a code block goes on. */
  function flush(): ReplyPart[] {
    if (before.fence !== null) return [];
    const parts = finish(before);
    before = NOTHING;
    return parts;
  }
}

function addLine(before: Before, line: string): Step {
  const { tail, fence } = before;
  if (fence !== null) {
    if (closes(line, fence)) return { parts: [], after: { ...before, fence: null } };
    const after = { ...before, gap: false, fence: { ...fence, isFirst: false } };
    return { parts: codeLine(before, fence, line), after };
  }
  if (tail === "") {
    if (line.trim() === "") return { parts: [], after: { ...before, gap: true } };
    const opened = fenceOf(line);
    if (opened !== null) return { parts: [], after: { ...before, next: null, fence: opened } };
  }
  const grown = { ...before, tail: `${tail}${shallow(before, line)}\n` };
  const isLong = grown.tail.length > mostOf(before.last);
  return isLong || !goesOn(before.last, line) ? settle(grown, isLong) : { parts: [], after: grown };
}

function mostOf(last: Token["type"] | null): number {
  switch (last) {
    case "list":
      return LONGEST_ITEM;
    case "blockquote":
      return LONGEST_QUOTE;
    default:
      return LONGEST;
  }
}

/** True if a line certainly belongs to the open block. */
function goesOn(last: Token["type"] | null, line: string): boolean {
  switch (last) {
    case "paragraph":
      return /^\p{L}/u.test(line) && !line.includes("|");
    case "blockquote":
      return /^ {0,3}(?:>|\p{L})/u.test(line);
    case "list":
      return /^(?: {2,}|\t|$)/.test(line);
    default:
      return false;
  }
}

/** Finds out what is final now. */
function settle(before: Before, all: boolean): Step {
  if (before.head !== null) return settleTable(before, before.head);
  const tokens = lexBlocks(before.tail);
  const at = tokens.findLastIndex(({ type }) => type !== "space");
  const last = tokens[at];
  if (last === undefined) return { parts: [], after: { ...before, tail: "", last: null, gap: true } };
  if (all) return { parts: finish(before), after: NOTHING };
  const isOver = endsWithLine(last) || (at < tokens.length - 1 && endsWithBlank(last));
  const final = isOver ? tokens : tokens.slice(0, at);
  const { parts, gap } = partsOf(final, before);
  const after = { ...NOTHING, gap, next: final.length === 0 ? before.next : null };
  const rest = before.tail.slice(final.reduce((sum, { raw }) => sum + raw.length, 0));
  if (isOver) return { parts, after };
  // Lines of code are final one by one.
  if (last.type === "code" && fenceOf(rest) !== null) return again(parts, after, rest);
  if (last.type === "table" && last.rows.length > MOST_TABLE_ROWS) {
    const head = rest
      .split("\n", 2)
      .map((line) => `${line}\n`)
      .join("");
    const table = { type: "table", table: last, gap, goesOn: false } as const;
    return { parts: [...parts, table], after: { ...NOTHING, tail: head, head } };
  }
  const grown = { ...after, tail: rest, last: last.type };
  if (last.type !== "list" || last.items.length < 2) return { parts, after: grown };
  const items = last.items.slice(0, -1);
  const given = partsOf([{ ...last, items }], grown);
  const left = rest.slice(items.reduce((sum, { raw }) => sum + raw.length, 0));
  return {
    parts: [...parts, ...given.parts],
    after: { ...grown, tail: left, gap: given.gap, next: given.next },
  };
}

/** A row of a table of which some rows are final: it is final, too. */
function settleTable(before: Before, head: string): Step {
  const [table, ...others] = lexBlocks(before.tail);
  if (table?.type !== "table") return { parts: finish(before), after: NOTHING };
  const parts: ReplyPart[] =
    table.rows.length === 0 ? [] : [{ type: "table", table, gap: false, goesOn: true }];
  if (others.length === 0 && !/\n[ \t]*\n$/.test(before.tail))
    return { parts, after: { ...NOTHING, tail: head, head } };
  return again(parts, NOTHING, before.tail.slice(table.raw.trimEnd().length + 1));
}

/** Takes these lines again, with what came before them out of the way. */
function again(parts: readonly ReplyPart[], before: Before, text: string): Step {
  let step: Step = { parts, after: before };
  for (const line of text.split("\n").slice(0, -1)) {
    const { parts: more, after } = addLine(step.after, line);
    step = { parts: [...step.parts, ...more], after };
  }
  return step;
}

/** Returns the parts that were still open at the end. */
function finish(before: Before): ReplyPart[] {
  if (before.tail.trim() === "" || before.tail === before.head) return [];
  const tokens = lexBlocks(before.tail);
  const [first, ...others] = tokens;
  if (before.head === null || first?.type !== "table") return partsOf(tokens, before).parts;
  const rest = partsOf(others, NOTHING).parts;
  return [{ type: "table", table: first, gap: false, goesOn: true }, ...rest];
}

/** `next` continues the numbers of a list that is the first of these. */
function partsOf(
  tokens: readonly Token[],
  { gap: gapBefore, next: first }: Pick<Before, "gap" | "next">,
): { parts: ReplyPart[]; gap: boolean; next: number | null } {
  const parts: ReplyPart[] = [];
  let gap = gapBefore;
  let next = first;
  let isFirst = true;
  for (const block of tokens) {
    if (block.type === "space") {
      gap = true;
      continue;
    }
    if (block.type === "list") {
      let number = (isFirst ? next : null) ?? Number(block.start);
      for (const item of block.items) {
        parts.push({ type: "item", item, number: block.ordered ? number : null, gap });
        number += 1;
        gap = endsBlank(item.raw);
      }
      next = number;
    } else {
      parts.push(
        block.type === "table"
          ? { type: "table", table: block, gap, goesOn: false }
          : { type: "block", block, gap },
      );
      next = null;
    }
    gap = endsBlank(block.raw) || (block.type === "list" && gap);
    isFirst = false;
  }
  return { parts, gap, next };
}

function endsWithLine({ type, raw }: Token): boolean {
  return type === "hr" || (type === "heading" && raw.trimStart().startsWith("#"));
}

function endsWithBlank({ type }: Token): boolean {
  return (
    type === "paragraph" || type === "heading" || type === "table" || type === "blockquote" || type === "html"
  );
}

function codeLine({ gap }: Before, { indent, language, isFirst }: OpenFence, text: string): ReplyPart[] {
  const line = text.replace(new RegExp(`^ {0,${indent}}`), "");
  return [{ type: "code", line, gap: gap && isFirst, ...(isFirst ? { language } : {}) }];
}

/** Bounds the depth of what is nested: each level is read again for all levels above it. */
function shallow({ last }: Before, line: string): string {
  const indented = last === "list" ? line.replace(/^ {64,}/, " ".repeat(DEEPEST_INDENT)) : line;
  const [marks = ""] = deep.exec(indented) ?? [];
  return marks === "" ? indented : `${marks}\\${indented.slice(marks.length)}`;
}

const deep = new RegExp(`^\\s*(?:(?:>|[-*+]\\s|\\d{1,9}[.)]\\s)\\s*){${DEEPEST}}(?=[>*+-]|\\d+[.)])`);

/** Between words, and never inside a character. */
function placeToCut(text: string): number {
  const space = text.lastIndexOf(" ");
  if (space > LONGEST / 2) return space + 1;
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}

/** Returns where a text can be cut without splitting a character, a line break or a short escape sequence. */
function wholeUpTo(text: string): number {
  const begun = text.lastIndexOf("\u001b");
  if (begun >= 0 && begun > text.length - 12 && !/[A-Za-z~\n]/.test(text.slice(begun))) return begun;
  return /[\r\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}

/** The opening line of a code block. */
interface OpenFence {
  readonly mark: string;
  readonly indent: number;
  readonly language: string;
  readonly isFirst: boolean;
}

/** Returns what a line opens, or null. */
function fenceOf(line: string): OpenFence | null {
  const [, indent = "", mark, info = ""] =
    /^( {0,3})(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)/.exec(line) ?? [];
  return mark === undefined ? null : { mark, indent: indent.length, language: info.trim(), isFirst: true };
}

/** True if a line ends a code block. */
function closes(line: string, { mark }: OpenFence): boolean {
  const [, closing = ""] = /^ {0,3}(`+|~+)[ \t]*$/.exec(line) ?? [];
  return closing.startsWith(mark);
}
