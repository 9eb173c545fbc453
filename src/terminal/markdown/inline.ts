import type { Paint } from "../colour.ts";
import { safeText } from "../safe-text.ts";
import { lexInline, type Token } from "./lexer.ts";
import { addressBeside, codeTarget, linkTarget } from "./links.ts";
import type { Format, StyledSpan } from "./spans.ts";

/** Where Markdown is drawn. */
export interface MarkdownPage {
  readonly columns: number;
  readonly paint: Paint;
  /** Relative paths in links are of this directory. */
  readonly cwd: string;
}

/** True if looks can be seen. If not, their signs stay, and there are no links. */
export function hasLooks({ paint }: MarkdownPage): boolean {
  return paint("bold", "x") !== "x";
}

/** Returns the inline text of a block. */
export function inlineSpans(text: string, page: MarkdownPage, formats: readonly Format[] = []): StyledSpan[] {
  return lexInline(text).flatMap((token) => tokenSpans(token, page, formats));
}

function tokenSpans(token: Token, page: MarkdownPage, formats: readonly Format[]): StyledSpan[] {
  const inside = (format: Format): StyledSpan[] => spansOf(token, page, [...formats, format]);
  switch (token.type) {
    case "strong":
      // `__main__` in a path is a name.
      return /^__\w+__$/.test(token.raw) ? [words(token.raw, formats)] : inside("bold");
    case "em":
      return inside("italic");
    case "del":
      // A single one is more often a home directory.
      return token.raw.startsWith("~~") ? inside("strikethrough") : [words(token.raw, formats)];
    case "codespan":
      return [code(token.text, page, formats)];
    case "br":
      return [words("\n", formats)];
    case "link":
      return link(token.href, spansOf(token, page, formats), token.text, page, formats);
    case "image":
      return link(token.href, [words(`image: ${token.text}`, formats)], "", page, formats);
    case "escape":
      return [words(token.text, formats)];
    case "html":
      return [words(/^<br\s*\/?>$/i.test(token.raw) ? "\n" : token.raw, formats)];
    case "text":
      return [words(decodeEntities(token.text), formats)];
    default:
      return [words(token.raw, formats)];
  }
}

function spansOf(token: Token, page: MarkdownPage, formats: readonly Format[]): StyledSpan[] {
  const inside: readonly Token[] = "tokens" in token && token.tokens ? (token.tokens as Token[]) : [];
  return inside.flatMap((each) => tokenSpans(each, page, formats));
}

function code(text: string, page: MarkdownPage, formats: readonly Format[]): StyledSpan {
  if (!hasLooks(page)) return words(`\`${text}\``, formats);
  const target = codeTarget(text, page.cwd);
  return { ...words(text, [...formats, "cyan"]), ...(target === null ? {} : { target }) };
}

function link(
  address: string,
  inside: readonly StyledSpan[],
  text: string,
  page: MarkdownPage,
  formats: readonly Format[],
): StyledSpan[] {
  const target = hasLooks(page) ? linkTarget(address, page.cwd) : null;
  const shown = inside.map(
    (span): StyledSpan =>
      target === null ? span : { ...span, formats: [...span.formats, "underline"], target: target },
  );
  const beside = address === "" ? null : addressBeside(address, text);
  return beside === null ? shown : [...shown, words(` (${beside})`, [...formats, "dim"])];
}

/** The lexer has replaced numbers of characters, some of which may be control characters. */
function words(text: string, formats: readonly Format[]): StyledSpan {
  return { text: safeText(text).replaceAll("\t", "    "), formats };
}

const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " },
};

function decodeEntities(text: string): string {
  return text.replace(/&([a-z]{2,4});/g, (all, name) => NAMED[name] ?? all);
}
