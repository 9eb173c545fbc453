import { type Document, openDocument } from "./documents.ts";
import {
  type Images,
  imageBlock,
  loadImages,
  MAX_IMAGE_BYTES,
  SCALED_EDGE,
  type Shown,
  type ShownBlock,
} from "./images.ts";
import { bareMessage, PASS_OVER } from "./paths.ts";
import { MAX_PDF_PAGES, pageRange } from "./pdf-pages.ts";
import { knownEntry } from "./read-guard.ts";
import type { ImageType, OpenRegularFile } from "./regular-file.ts";
import { charsOf, failed, IMAGE_CHARS, RESULT_CHARS, type ReadContext, type ToolFailure } from "./tool.ts";

/** Shows an image file. The result says if it was scaled down, because positions in it have then changed. */
export async function readImage(
  { file, path, stats }: OpenRegularFile,
  mediaType: ImageType,
  context: ReadContext,
): Promise<Shown | ToolFailure> {
  if (stats.size > MAX_IMAGE_BYTES)
    return failed(`${path} is an image of ${stats.size} bytes; images are shown up to ${MAX_IMAGE_BYTES}.`);
  const images = await loadImages();
  if (images === null)
    return failed(
      `${path} is an image, and the package that shows images (sharp) is not installed for this system.`,
    );
  const bytes = await file.readFile();
  context.signal.throwIfAborted();
  try {
    const image = await images.fit(bytes, mediaType);
    context.reads.record(knownEntry(path, stats, bytes));
    const from = image.scaledFrom;
    const scaled = from
      ? `[Scaled down from ${from.width} x ${from.height} to ${image.width} x ${image.height} pixels.]`
      : null;
    return { blocks: [imageBlock(image), ...(scaled ? [{ type: "text" as const, text: scaled }] : [])] };
  } catch (error) {
    return failed(
      `${path} is an image that cannot be shown (damaged, or of an unknown kind): ${bareMessage(error)}. ${PASS_OVER}`,
    );
  }
}

/** The whole file is in memory, twice. */
const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;

/** Shows pages of a PDF: the text and an image of each (A8.3). */
export async function readDocument(
  { file, path, stats }: OpenRegularFile,
  pages: string | undefined,
  context: ReadContext,
): Promise<Shown | ToolFailure> {
  if (stats.size > MAX_DOCUMENT_BYTES)
    return failed(`${path} has ${stats.size} bytes; PDF documents are shown up to ${MAX_DOCUMENT_BYTES}.`);
  const bytes = await file.readFile();
  let document: Document | null;
  try {
    document = await openDocument(bytes);
  } catch (error) {
    return failed(`${path} cannot be shown: ${bareMessage(error)}. ${PASS_OVER}`);
  }
  if (document === null)
    return failed(
      `${path} is a PDF document, and the package that shows them (@hyzyla/pdfium) is not installed here.`,
    );
  try {
    const range = pageRange(pages, document.pages);
    if (range.type === "wrong") return failed(`${path}: ${range.reason}`);
    const shown = await shownPages(document, range, await loadImages(), context);
    context.reads.record(knownEntry(path, stats, bytes));
    return shown;
  } finally {
    document.close();
  }
}

async function shownPages(
  document: Document,
  { from, to }: { readonly from: number; readonly to: number },
  images: Images | null,
  { signal, resultChars = RESULT_CHARS }: ReadContext,
): Promise<Shown> {
  const blocks: ShownBlock[] = [];
  let room = resultChars;
  let last = from - 1;
  for (let number = from; number <= to; number += 1) {
    signal.throwIfAborted();
    if (room <= 0) break;
    last = number;
    const page = document.page(number);
    const text = page.text().replaceAll("\0", "").replaceAll("\r\n", "\n").trim();
    const cut =
      text.length > room ? `${text.slice(0, room)}\n[cut: the text of these pages is too long]` : text;
    room -= charsOf(cut);
    blocks.push({ type: "text", text: `[Page ${number} of ${document.pages}]\n${cut || "[no text]"}` });
    if (images === null) continue;
    room -= IMAGE_CHARS;
    const { data, width, height } = await page.pixels(SCALED_EDGE);
    blocks.push(imageBlock(await images.fromPixels(data, width, height)));
  }
  if (images === null)
    blocks.push({ type: "text", text: "[Images of the pages cannot be shown on this system.]" });
  const next = Math.min(document.pages, last + MAX_PDF_PAGES);
  if (last < document.pages)
    blocks.push({ type: "text", text: `[Continue with pages: "${last + 1}-${next}".]` });
  return { blocks };
}
