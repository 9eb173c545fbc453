import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom/worker";
import TurndownService from "turndown";

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

/** Converts a part of a page to Markdown, with absolute links, and with descriptions in place of images. */
export function toMarkdown(node: DomNode, base: string): string {
  const service = new TurndownService({
    ...{ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---", emDelimiter: "*" },
  });
  service.remove(["script", "style", "noscript", "iframe"]);
  service.addRule("links", {
    filter: (element) => element.nodeName === "A" && element.getAttribute("href") !== null,
    replacement: (content, element) =>
      link(content, (element as DomElement).getAttribute("href") ?? "", base),
  });
  service.addRule("images", {
    filter: "img",
    replacement: (_, element) => {
      const alt = ((element as DomElement).getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
      return alt === "" ? "" : `[image: ${alt}]`;
    },
  });
  service.addRule("cells", { filter: ["th", "td"], replacement: (content) => ` ${cell(content)} |` });
  service.addRule("rows", { filter: "tr", replacement: row });
  service.addRule("tables", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` });
  service.addRule("parts of tables", {
    filter: ["thead", "tbody", "tfoot"],
    replacement: (content) => content,
  });
  return service
    .turndown(node)
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function link(content: string, href: string, base: string): string {
  const words = content.replace(/\s+/g, " ").trim();
  if (words === "" || href.startsWith("#") || !URL.canParse(href, base)) return words;
  const { protocol, href: whole } = new URL(href, base);
  return /^(?:https?|mailto|ftp):$/.test(protocol)
    ? `[${words}](${whole.replaceAll("(", "%28").replaceAll(")", "%29")})`
    : words;
}

function cell(content: string): string {
  return content.replace(/\s+/g, " ").trim().replaceAll("|", "\\|");
}

/** Makes the first row the head, because a Markdown table needs one. */
function row(content: string, node: DomNode): string {
  const element = node as DomElement;
  const cells = content.split(/(?<!\\)\|/).length - 1;
  const line = `|${content.replace(/\n/g, " ")}\n`;
  return isFirstRow(element) ? `${line}|${" --- |".repeat(cells)}\n` : line;
}

function isFirstRow({ parentNode, previousElementSibling }: DomElement): boolean {
  if (previousElementSibling !== null) return false;
  if (parentNode === null || parentNode.nodeName === "TABLE") return true;
  return parentNode.previousElementSibling === null;
}

/** The part of a parsed page that is used; the library's types need those of browsers. */
export interface DomNode {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly parentNode: DomElement | null;
}

export interface DomElement extends DomNode {
  readonly previousElementSibling: DomElement | null;
  getAttribute(name: string): string | null;
  remove(): void;
}

export interface DomDocument {
  readonly body: DomElement | null;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

/** Parses a page, with the missing elements that browsers add and this parser does not. */
export function parseDocument(html: string): DomDocument {
  const whole = /<html[\s>][\s\S]*<body[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html.replace(/<!doctype[^>]*>|<\/?(?:html|head|body)\b[^>]*>/gi, "")}</body></html>`;
  const { document }: { readonly document: DomDocument } = parseHTML(whole);
  return document;
}
