import { hasLooks, inlineSpans, type MarkdownPage } from "./inline.ts";
import type { Token, Tokens } from "./lexer.ts";
import { cutSpans, drawSpans, type Format, type StyledSpan, wrapSpans } from "./spans.ts";
import { tableRows } from "./table.ts";

/** Colours a line of code. */
export type ColourLine = (line: string) => readonly StyledSpan[];

/** A page with the languages that can be coloured; each call starts a new text. */
export interface BlockPage extends MarkdownPage {
  colours(language: string): ColourLine;
}

/** What is nested so deep that less room is left starts at the left again. */
const LEAST_ROOM = 16;
const CODE_LEAD = "  ";

export function blockRows(block: Token, page: BlockPage): string[] {
  const { paint, columns } = page;
  switch (block.type) {
    case "heading":
      return textRows(headingText(block, page), page, block.depth === 1 ? ["bold", "underline"] : ["bold"]);
    case "hr":
      return [paint("dim", "─".repeat(Math.min(columns, 40)))];
    case "blockquote":
      return behind(paint("dim", "│ "), 2, page, (inner) => blocksRows(block.tokens as Token[], inner), true);
    case "list":
      return block.items.flatMap((item, index) => [
        ...(index > 0 && endsBlank(block.items[index - 1]?.raw ?? "") ? [""] : []),
        ...itemRows(item, block.ordered ? Number(block.start) + index : null, page),
      ]);
    case "code": {
      const colour = page.colours(block.codeBlockStyle === "indented" ? "" : (block.lang ?? ""));
      const text = block.codeBlockStyle === "indented" ? block.text.trimEnd() : block.text;
      return text === "" ? [] : text.split("\n").flatMap((line) => codeRows(line, colour, page));
    }
    case "table":
      return tableRows({ table: block, before: null }, page).rows;
    case "paragraph":
    case "text":
      return textRows(block.text, page);
    case "space":
      return [];
    default:
      // HTML, and definitions of links.
      return textRows(block.raw.trimEnd(), page, [], true);
  }
}

function blocksRows(blocks: readonly Token[], page: BlockPage): string[] {
  const rows: string[] = [];
  let gap = false;
  for (const block of blocks) {
    const own = blockRows(block, page);
    if (own.length > 0) {
      rows.push(...(gap && rows.length > 0 ? [""] : []), ...own);
      gap = false;
    }
    gap ||= endsBlank(block.raw) || block.type === "space";
  }
  return rows;
}

/** True if an empty line follows a block or an item of a list, and the lexer counts it to that. */
export function endsBlank(raw: string): boolean {
  return /\n[ \t]*\n[ \t]*$/.test(raw);
}

/** Returns an item of a list; `number` is null in a list without an order. */
export function itemRows(item: Tokens.ListItem, number: number | null, page: BlockPage): string[] {
  const mark = number === null ? "•" : `${number}.`;
  const box = item.task ? ` ${item.checked ? page.paint("green", "[x]") : "[ ]"}` : "";
  const width = mark.length + (item.task ? 4 : 0) + 1;
  const lead = `${page.paint("dim", mark)}${box} `;
  return behind(lead, width, page, (inner) => {
    const [first, ...others] = (item.tokens as Token[]).filter(({ type }) => type !== "checkbox");
    if (first === undefined) return [""];
    if (!item.task || !("text" in first)) return blocksRows([first, ...others], inner);
    // In an item with several blocks the lexer leaves the box in the text.
    const text = first.text.replace(/^\[[ xX]\]\s+/, "");
    return blocksRows([{ type: "text", raw: first.raw, text }, ...others], inner);
  });
}

/** Puts rows behind a lead: in each row, or in the first with spaces below it. */
function behind(
  lead: string,
  width: number,
  page: BlockPage,
  rowsIn: (page: BlockPage) => readonly string[],
  each = false,
): string[] {
  const room = page.columns - width;
  if (room < Math.min(LEAST_ROOM, page.columns / 2)) {
    const rows = rowsIn(page);
    return width <= page.columns ? [lead.trimEnd(), ...rows] : [...rows];
  }
  const below = each ? lead : " ".repeat(width);
  return rowsIn({ ...page, columns: room }).map((row, index) =>
    index === 0 || each ? `${lead}${row}`.trimEnd() : row === "" ? "" : below + row,
  );
}

export function codeRows(line: string, colour: ColourLine, { columns, paint }: MarkdownPage): string[] {
  return cutSpans(colour(line.replaceAll("\t", "    ")), columns - CODE_LEAD.length).map((row) =>
    row.length === 0 ? "" : CODE_LEAD + drawSpans(row, paint),
  );
}

function textRows(
  text: string,
  page: MarkdownPage,
  formats: readonly Format[] = [],
  asItIs = false,
): string[] {
  const spans = asItIs
    ? [{ text: text.replaceAll("\t", "    "), formats }]
    : inlineSpans(text, page, formats);
  return wrapSpans(spans, page.columns).map((row) => drawSpans(row, page.paint));
}

function headingText({ depth, text }: Tokens.Heading, page: MarkdownPage): string {
  return hasLooks(page) ? text : `${"#".repeat(depth)} ${text}`;
}
