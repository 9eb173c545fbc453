const FENCE = /^[ \t]*(`{3,}|~{3,})/;
const LIST_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/;
/** Columns by which code is deeper than the text around it. */
const CODE_INDENT = 4;

/** Replaces code blocks, fenced or indented, with spaces. Every other character keeps its position. */
export function blankCodeBlocks(text: string): string {
  let fence: string | null = null;
  let afterText = false;
  /** Where the text of the list item begins: what is indented as far belongs to it. */
  let base = 0;

  function isCode(line: string): boolean {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
      return true;
    }
    if (line.trim() === "" || mark !== undefined) {
      fence = mark ?? null;
      afterText = false;
      return mark !== undefined;
    }
    const indent = indentOf(line);
    // An indented line after text continues its paragraph.
    if (!afterText && indent >= base + CODE_INDENT) return true;
    const item = LIST_ITEM.exec(line)?.[0];
    base = item === undefined ? Math.min(base, indent) : indentOf(line, item.length);
    afterText = true;
    return false;
  }

  const parts = text.split(/(\r\n|\n|\r)/);
  return parts.map((part, at) => (at % 2 === 0 && isCode(part) ? blank(part) : part)).join("");
}

/** The same for code between backticks, which may enclose several lines of one paragraph. */
export function blankInlineCode(text: string): string {
  return text
    .split(/((?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r))/)
    .map(blankSpans)
    .join("");
}

function blankSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)];
  const next = new Map<string, number>();
  const closing = runs.map(() => -1);
  for (const [at, [run]] of [...runs.entries()].reverse()) {
    closing[at] = next.get(run) ?? -1;
    next.set(run, at);
  }
  let text = "";
  let end = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const [open, close] = [runs[at], runs[closing[at] ?? -1]];
    if (open === undefined || close === undefined) continue;
    const last = close.index + close[0].length;
    text += paragraph.slice(end, open.index) + blank(paragraph.slice(open.index, last));
    end = last;
    at = closing[at] ?? at;
  }
  return text + paragraph.slice(end);
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, " ");
}

/** Returns the columns of a line's first characters: of its white space, or of `length` characters. */
function indentOf(line: string, length: number = line.search(/[^ \t]/)): number {
  return line.slice(0, length).replaceAll("\t", "    ").length;
}
