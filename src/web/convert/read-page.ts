import { MAX_PDF_PAGES } from "../../tools/pdf-pages.ts";
import { decodeText } from "./charset.ts";
import type { PageText } from "./html.ts";

export interface RawPage {
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly isCut: boolean;
}

/** Reads the text of a page. Rejects with a clause if it has none. */
export async function readPage({ url, contentType, body, isCut }: RawPage): Promise<PageText> {
  const kind = pageKind(body, contentType);
  const rest = { title: "", hasLogin: false, isCut: false };
  switch (kind) {
    case null:
      throw new Error(
        `it is ${contentType.replace(/;.*$/s, "").slice(0, 100) || "binary"}, which has no text`,
      );
    case "pdf":
      if (isCut) throw new Error("it is a PDF document of more than 10 MB");
      return { ...rest, text: await readPdf(body) };
    case "html": {
      const { readHtml } = await import("./html.ts");
      return cleaned(readHtml(decodeText(body, contentType), url));
    }
    case "json":
    case "text":
      return cleaned({ ...rest, text: decodeText(body, contentType) });
    default:
      return kind satisfies never;
  }
}

function cleaned(page: PageText): PageText {
  return {
    ...page,
    title: page.title.toWellFormed().slice(0, 300),
    text: page.text.replaceAll("\0", "").replaceAll("\r\n", "\n").toWellFormed(),
  };
}

async function readPdf(bytes: Uint8Array): Promise<string> {
  const { openDocument } = await import("../../tools/documents.ts");
  const document = await openDocument(bytes);
  if (document === null)
    throw new Error(
      "it is a PDF document, and the package that reads them (@hyzyla/pdfium) is not installed",
    );
  try {
    const last = Math.min(document.pages, MOST_PDF_PAGES);
    const pages = Array.from({ length: last }, (_, at) => {
      const text = document
        .page(at + 1)
        .text()
        .replaceAll("\0", "")
        .replaceAll("\r\n", "\n")
        .trim();
      return `[Page ${at + 1} of ${document.pages}]\n${text || "[no text]"}`;
    });
    const left = document.pages - last;
    return [...pages, ...(left > 0 ? [`[${left} more pages were not read.]`] : [])]
      .join("\n\n")
      .toWellFormed();
  } finally {
    document.close();
  }
}

/** More than Read shows in one call: only the small model sees these pages. */
const MOST_PDF_PAGES = 10 * MAX_PDF_PAGES;

const HEAD_BYTES = 1024;
const TEXT_TYPES =
  /^(?:text\/|application\/(?:(?:[\w.+-]+\+)?xml|javascript|ecmascript|x-javascript|typescript|x-sh|yaml|x-yaml|toml|sql|graphql|rtf|x-ndjson|rss|atom)\b)/;

/** Returns the type of a page by its header and its first bytes, or null if it has no text. */
function pageKind(bytes: Uint8Array, contentType: string): "html" | "json" | "text" | "pdf" | null {
  const type = contentType.replace(/;.*$/s, "").trim().toLowerCase();
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, HEAD_BYTES));
  if (head.startsWith("%PDF-")) return "pdf";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type)) return "json";
  // Servers call pages plain text, and source code anything.
  if (TEXT_TYPES.test(type)) return type === "text/plain" && isHtml(head) ? "html" : "text";
  if (/^(?:image|audio|video|font)\//.test(type)) return type === "image/svg+xml" ? "text" : null;
  if (isHtml(head)) return "html";
  return head.includes("\0") ? null : "text";
}

function isHtml(head: string): boolean {
  return /^\s*(?:\uFEFF|ï»¿)?\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype\s+html|html)\b/i.test(head);
}
