import { Readability } from "@mozilla/readability";
import { type DomDocument, type DomNode, parseDocument } from "./dom.ts";
import { toMarkdown } from "./markdown.ts";

export interface PageText {
  readonly title: string;
  /** Markdown of HTML; other text unchanged. */
  readonly text: string;
  /** It asks for a password; some pages have nothing else. */
  readonly hasLogin: boolean;
  readonly isCut: boolean;
}

/** Characters of HTML that are read: a longer text is a program's output, not a page. */
const MOST_HTML_CHARS = 2_000_000;
/** A shorter article is not the page: it is an index, or one of several parts. */
const LEAST_ARTICLE_CHARS = 200;
const LEAST_SHARE = 0.2;
const NO_TEXT = "script, style, noscript, template, svg, iframe, canvas, object, embed, link, meta, dialog";

/** Returns the main content of a page as Markdown, or all of its text if no part of it is the main one. */
export function readHtml(html: string, url: string): PageText {
  const read = html.slice(0, MOST_HTML_CHARS);
  const about = { hasLogin: hasLogin(read), isCut: read.length < html.length };
  try {
    if (!isTooDeep(read)) return { ...readParsed(read, url), ...about };
  } catch {
    // A page that the libraries cannot read is still text.
  }
  return { title: "", text: textAlone(read), ...about };
}

const MOST_DEPTH = 1_000;
const UNCOUNTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|thead|tbody|tfoot|option|optgroup|html|head|body|path)$/i;

/** Deeply nested elements take the libraries very long, or use up their stack. */
function isTooDeep(html: string): boolean {
  let depth = 0;
  for (const [tag, close, name = ""] of html.matchAll(/<(\/?)([a-z][\w-]*)(?:\s[^<>]*)?>/gi)) {
    if (tag.endsWith("/>") || UNCOUNTED.test(name)) continue;
    depth = Math.max(0, depth + (close ? -1 : 1));
    if (depth > MOST_DEPTH) return true;
  }
  return false;
}

function readParsed(html: string, url: string): Pick<PageText, "title" | "text"> {
  const document = parseDocument(html);
  const base = baseOf(document, url);
  const wholeChars = textChars(document.body);
  const title = (document.querySelector("title")?.textContent ?? "").replace(/\s+/g, " ").trim();
  const article = new Readability<DomNode>(document, {
    serializer: (node) => node,
    charThreshold: LEAST_ARTICLE_CHARS,
  }).parse();
  const content = article?.content ?? null;
  const least = Math.max(LEAST_ARTICLE_CHARS, wholeChars * LEAST_SHARE);
  const isMain = content !== null && textChars(content) >= least;
  const text = isMain ? toMarkdown(content, base) : wholeText(html, base);
  return { title: article?.title?.trim() || title, text };
}

/** Parses again: the search for the article destroys the first tree. */
function wholeText(html: string, base: string): string {
  const document = parseDocument(html);
  for (const element of document.querySelectorAll(NO_TEXT)) element.remove();
  return document.body === null ? "" : toMarkdown(document.body, base);
}

function textChars(node: DomNode | null): number {
  return (node?.textContent ?? "").replace(/\s+/g, " ").length;
}

function baseOf(document: DomDocument, url: string): string {
  const href = document.querySelector("base[href]")?.getAttribute("href");
  return href && URL.canParse(href, url) ? new URL(href, url).href : url;
}

function hasLogin(html: string): boolean {
  return /<input\b[^>]{0,500}?type\s*=\s*["']?password\b/i.test(html);
}

/** The last resort: the text between tags. */
function textAlone(html: string): string {
  return html
    .replace(/<(script|style|noscript|template)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&nbsp;/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&")
    .replace(/[ \t]+/g, " ")
    .replace(/\s*\n\s*/g, "\n")
    .trim();
}
