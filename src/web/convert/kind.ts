/** How the bytes of a page are read. */
export type PageKind = "html" | "json" | "text" | "pdf";

const HEAD_BYTES = 1024;
const TEXT_TYPES =
  /^(?:text\/|application\/(?:(?:[\w.+-]+\+)?xml|javascript|ecmascript|x-javascript|typescript|x-sh|yaml|x-yaml|toml|sql|graphql|rtf|x-ndjson|rss|atom)\b)/;

/** What a page is, by the server's word and by its first bytes; null: it has no text. */
export function pageKind(bytes: Uint8Array, contentType: string): PageKind | null {
  const type = contentType.replace(/;.*$/s, "").trim().toLowerCase();
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, HEAD_BYTES));
  if (head.startsWith("%PDF-")) return "pdf";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type)) return "json";
  // Servers call a page plain text, and a program's text anything.
  if (TEXT_TYPES.test(type)) return type === "text/plain" && isHtml(head) ? "html" : "text";
  if (/^(?:image|audio|video|font)\//.test(type)) return type === "image/svg+xml" ? "text" : null;
  if (isHtml(head)) return "html";
  return head.includes("\0") ? null : "text";
}

function isHtml(head: string): boolean {
  return /^\s*(?:\uFEFF|ï»¿)?\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype\s+html|html)\b/i.test(head);
}
