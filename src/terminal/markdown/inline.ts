import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Paint } from "../colour.ts";
import { safeLine, safeText } from "../safe-text.ts";
import { lexInline, type Token } from "./lexer.ts";
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

const LONGEST = 2000;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;
const PATH = /^([^\s:*?"<>|#`$={}();,]+)(?::(\d+)(?::\d+)?|#L?(\d+)(?:-L?\d+)?)?$/i;

/**
 * Returns where a link leads, encoded so that a terminal takes it: a web page, an address for mail, or a file of `cwd`
 * with its line. Null for anything else, which is only shown.
 */
export function linkTarget(address: string, cwd: string): string | null {
  if (address.length > LONGEST) return null;
  if (/^(?:https?:\/\/|mailto:)/i.test(address))
    return URL.canParse(address) ? encode(new URL(address).href) : null;
  return SCHEME.test(address) && !/^[^:]*[./][^:]*:\d/.test(address) ? null : fileTarget(address, cwd);
}

/** Returns the same for a piece of code that looks like a path: it names a directory or a line. */
export function codeTarget(code: string, cwd: string): string | null {
  const [, path = "", line] = PATH.exec(code) ?? [];
  const isPath = path.includes("/") || line !== undefined;
  const isNamed = /^\.{0,2}\/./.test(path) || /\.[a-z\d]{1,8}$|[^/]\/$/i.test(path);
  return isPath && isNamed && !path.includes("//") ? fileTarget(code, cwd) : null;
}

/** Returns the address if a reader could not tell it from the words. */
export function addressBeside(address: string, words: string): string | null {
  return bare(address) === bare(words) ? null : safeLine(address);
}

function fileTarget(address: string, cwd: string): string | null {
  const [, path, byColon, byHash] = PATH.exec(address) ?? [];
  if (path === undefined || path.startsWith("~")) return null;
  const line = byColon ?? byHash;
  return `${encode(pathToFileURL(resolve(cwd, decoded(path))).href)}${line === undefined ? "" : `#${line}`}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Programs that look for escape sequences know only these characters in an address. */
function encode(address: string): string {
  const [, before = "", query = ""] = /^([^?]*)(.*)$/s.exec(address) ?? [];
  return (before + query.replaceAll("+", "%20")).replace(/[^-\w/#&.:=?%@~]/g, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
}

function bare(address: string): string {
  return address
    .replace(/^(?:https?:\/\/|mailto:)/i, "")
    .replace(/#L?(\d+)$/i, ":$1")
    .replace(/\/$/, "");
}
