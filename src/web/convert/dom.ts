import { parseHTML } from "linkedom/worker";

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
