import type { PDFiumDocument, PDFiumLibrary } from "@hyzyla/pdfium";

/** One page of a document. */
export interface Page {
  text(): string;
  /** Renders rows of pixels (red, green, blue, alpha) with this longer edge. */
  pixels(longEdge: number): Promise<{ data: Uint8Array; width: number; height: number }>;
}

/** An open document; closing it frees what it holds outside the JavaScript heap. */
export interface Document {
  readonly pages: number;
  /** `number` counts from 1. */
  page(number: number): Page;
  close(): void;
}

/** Opens a PDF; null if the library is not installed. Rejects with the library's reason if it cannot be read. */
export async function openDocument(bytes: Uint8Array): Promise<Document | null> {
  const library = await load();
  if (library === null) return null;
  try {
    return opened(library, await library.loadDocument(bytes));
  } catch (error) {
    library.destroy();
    throw error;
  }
}

/** WebAssembly, so it is the same on every system. */
async function load(): Promise<PDFiumLibrary | null> {
  try {
    const pdfium = await import("@hyzyla/pdfium");
    return await pdfium.PDFiumLibrary.init();
  } catch {
    // An optional package; the caller reports that it is absent.
    return null;
  }
}

function opened(library: PDFiumLibrary, document: PDFiumDocument): Document {
  return {
    pages: document.getPageCount(),
    page(number) {
      const page = document.getPage(number - 1);
      return {
        text: () => page.getText(),
        async pixels(longEdge) {
          const { originalWidth, originalHeight } = page.getOriginalSize();
          const scale = longEdge / Math.max(originalWidth, originalHeight, 1);
          return page.render({
            width: Math.max(1, Math.round(originalWidth * scale)),
            height: Math.max(1, Math.round(originalHeight * scale)),
            render: async ({ data }) => data,
          });
        },
      };
    },
    close() {
      document.destroy();
      library.destroy();
    },
  };
}
