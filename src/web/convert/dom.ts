import { parseHTML } from "linkedom/worker";

/** What is used of a parsed page; the library's types are those of browsers, which this program has not. */
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

/** The parser makes no body where none is written, as browsers do. */
export function parseDocument(html: string): DomDocument {
  const whole = /<html[\s>][\s\S]*<body[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html.replace(/<!doctype[^>]*>|<\/?(?:html|head|body)\b[^>]*>/gi, "")}</body></html>`;
  const { document }: { readonly document: DomDocument } = parseHTML(whole);
  return document;
}
