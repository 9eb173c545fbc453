import { MAX_PDF_PAGES } from "../../tools/pdf-pages.ts";
import { decodeText } from "./charset.ts";
import { pageKind } from "./kind.ts";
import type { PageText } from "./page-text.ts";

/** A fetched body, to be made text of. */
export interface RawPage {
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly isCut: boolean;
}

/** Rejects with a sentence's reason if nothing can be read of it. */
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

/** More is read than Read shows at once: nobody sees the pages but the small model. */
const MOST_PDF_PAGES = 10 * MAX_PDF_PAGES;
