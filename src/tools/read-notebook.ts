import { stripVTControlCharacters } from "node:util";
import { type Images, imageBlock, loadImages, type Shown, type ShownBlock } from "./images.ts";
import {
  type CellOutput,
  cellName,
  cellSource,
  joined,
  MAX_NOTEBOOK_BYTES,
  type NotebookCell,
  parseNotebook,
} from "./notebook.ts";
import { knownEntry } from "./read-guard.ts";
import { fileKind, type ImageType, KIND_BYTES, type OpenRegularFile } from "./regular-file.ts";
import { failed, IMAGE_CHARS, RESULT_CHARS, type ReadContext, type ToolFailure } from "./tool.ts";

/** Characters of one output, and images of one call. */
const OUTPUT_CHARS = 10_000;
const MAX_IMAGES = 20;

/** Shows a notebook as its cells with their outputs. `from` and `count` are of cells, from 1. */
export async function readNotebook(
  { file, path, stats }: OpenRegularFile,
  { from, count }: { readonly from: number; readonly count: number },
  context: ReadContext,
): Promise<Shown | ToolFailure> {
  if (stats.size > MAX_NOTEBOOK_BYTES)
    return failed(`${path} has ${stats.size} bytes; notebooks are shown up to ${MAX_NOTEBOOK_BYTES}.`);
  const bytes = await file.readFile();
  const parsed = parseNotebook(bytes.toString("utf8"));
  if (parsed.type === "wrong")
    return failed(`${path} ${parsed.reason}, so its cells cannot be shown. Grep shows its lines.`);
  const { cells } = parsed.notebook;
  if (from > cells.length && cells.length > 0)
    return failed(`Cell ${from} is past the end: ${path} has ${cells.length} cells.`);
  const page = new NotebookPage(context.resultChars ?? RESULT_CHARS);
  let last = from - 1;
  for (const [at, cell] of cells.slice(from - 1, from - 1 + count).entries()) {
    context.signal.throwIfAborted();
    if (page.isFull) break;
    last = from + at;
    await page.add(cell, last, cells.length);
  }
  context.reads.record(knownEntry(path, stats, bytes));
  if (cells.length === 0)
    return { blocks: [{ type: "text", text: `[${path} is a notebook without cells.]` }] };
  if (last < cells.length)
    page.note(`[Cells ${from} to ${last} of ${cells.length}. Continue with offset: ${last + 1}.]`);
  return { blocks: page.blocks };
}

/** The result of one call: text with images in between. */
class NotebookPage {
  readonly blocks: ShownBlock[] = [];
  #library: Images | null | undefined;
  #images = 0;
  #chars = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#chars >= this.#most;
  }

  async add(cell: NotebookCell, number: number, total: number): Promise<void> {
    const run = cell.execution_count == null ? "" : `, executed as ${cell.execution_count}`;
    const name = cellName(cell, number - 1);
    this.note(`[Cell ${number} of ${total}: id ${JSON.stringify(name)}, ${cell.cell_type}${run}]`);
    this.#text(visibleText(cellSource(cell)), this.#most);
    for (const output of cell.outputs ?? []) await this.#output(output);
  }

  note(text: string): void {
    this.#text(text, this.#most);
  }

  async #output(output: CellOutput): Promise<void> {
    this.note("[Output]");
    const image = imageOf(output);
    if (image === null) return this.#text(visibleText(textOf(output)), OUTPUT_CHARS);
    this.#images += 1;
    this.#chars += IMAGE_CHARS;
    if (this.#images > MAX_IMAGES)
      return this.note("[An image, not shown: there are too many. Read fewer cells.]");
    if (this.#library === undefined) this.#library = await loadImages();
    if (this.#library === null) return this.note("[An image, which cannot be shown on this system.]");
    try {
      this.blocks.push(imageBlock(await this.#library.fit(image.bytes, image.mediaType)));
    } catch {
      this.note("[An image, not shown: it is damaged.]");
    }
  }

  /** Joined to the text before it, unless an image is in between. */
  #text(text: string, most: number): void {
    const room = Math.min(most, Math.max(0, this.#most - this.#chars));
    const cut =
      text.length > room ? `${text.slice(0, room)}\n[cut: ${text.length - room} more characters]` : text;
    this.#chars += cut.length;
    const before = this.blocks.at(-1);
    if (before?.type === "text") before.text = `${before.text}\n${cut}`;
    else this.blocks.push({ type: "text", text: cut });
  }
}

/** By its bytes, not by the type in the notebook. */
function imageOf({ data = {} }: CellOutput): { mediaType: ImageType; bytes: Uint8Array } | null {
  for (const type of ["image/png", "image/jpeg", "image/gif", "image/webp"]) {
    const bytes = Buffer.from(dataText(data[type]) ?? "", "base64");
    const kind = fileKind("", bytes.subarray(0, KIND_BYTES));
    if (kind.type === "image") return { mediaType: kind.mediaType, bytes };
  }
  return null;
}

function textOf({ text, data = {}, traceback, ename = "", evalue = "" }: CellOutput): string {
  if (text !== undefined) return joined(text);
  if (traceback !== undefined) return traceback.length > 0 ? traceback.join("\n") : `${ename}: ${evalue}`;
  for (const type of ["text/plain", "text/markdown", "text/html", ...Object.keys(data)]) {
    const found = dataText(data[type]);
    if (found !== null) return found;
  }
  return JSON.stringify(data);
}

function dataText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.every((line) => typeof line === "string") ? value.join("") : null;
}

/** Without terminal codes, and with visible NULs. */
function visibleText(text: string): string {
  return stripVTControlCharacters(text).replaceAll("\0", "\u2400");
}
