import { MAX_PDF_PAGES } from "../../tools/pdf-pages.ts";
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

const CHARSET_HEAD_BYTES = 2048;

/** Decodes by a byte order mark, the server's charset, or the page's; else as UTF-8 if valid, or Latin-1. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const said = [markOf(bytes), charsetIn(contentType), charsetInHead(bytes)];
  for (const label of said) {
    const decoder = label === null ? null : decoderFor(label);
    if (decoder !== null) return decoder.decode(bytes);
  }
  try {
    // A cut page may end within a character.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function markOf(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : null;
}

function charsetIn(contentType: string): string | null {
  return /;\s*charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType)?.[1] ?? null;
}

function charsetInHead(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, CHARSET_HEAD_BYTES));
  const found =
    /<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(head) ??
    /^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})/i.exec(head);
  const label = found?.[1]?.toLowerCase() ?? null;
  // A page with a readable declaration is not UTF-16.
  return label?.startsWith("utf-16") ? "utf-8" : label;
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
