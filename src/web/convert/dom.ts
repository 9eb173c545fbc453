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
  readonly title: string;
  readonly body: DomElement | null;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

export function parseDocument(html: string): DomDocument {
  const { document }: { readonly document: DomDocument } = parseHTML(html);
  return document;
}
