import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import { createRequire } from "node:module";
import * as z from "zod/mini";
import { formatCount } from "../lib/text.ts";
import type { Shown } from "./images.ts";
import { pathInputProblem, resolvePath } from "./paths.ts";
import { MAX_PDF_PAGES, PDF_PAGES_UNASKED } from "./pdf-pages.ts";
import { seenEntry, WHOLE_DIGEST_BYTES } from "./read-guard.ts";
import {
  type FileKind,
  fileKind,
  KIND_BYTES,
  type OpenRegularFile,
  openRegular,
  withFile,
} from "./regular-file.ts";
import { MAX_LINE_CHARS, readTextLines, type TextLines } from "./text-lines.ts";
import {
  failed,
  naming,
  RESULT_CHARS,
  type ReadContext,
  type ThreadCallContext,
  type Tool,
  type ToolFailure,
  type ToolPrompt,
} from "./tool.ts";

/**
 * Returns whether images can be shown, without loading the package: the first call that needs it loads it, but the
 * prompt must say before that what works (A4.13).
 */
export function hasImages(): boolean {
  const sharp = resolved("sharp");
  if (sharp === null) return false;
  // The package installs anywhere; the binary is a package for each system.
  const system = `${process.platform}-${process.arch}`;
  const variants = [system, system.replace("linux", "linuxmusl"), "wasm32"];
  return variants.some((name) => resolved(`@img/sharp-${name}/sharp.node`, sharp) !== null);
}

export function hasDocuments(): boolean {
  return resolved("@hyzyla/pdfium") !== null;
}

function resolved(name: string, from = import.meta.url): string | null {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return null;
  }
}

export const DEFAULT_LINES = 2_000;
/** For the notice that there is more. */
const NOTICE_CHARS = 100;

const Input = z.strictObject({
  file_path: z.string().check(z.describe("Absolute path of the file to read (required)")),
  offset: z.optional(z.int().check(z.describe("Number of the first line to read, counted from 1"))),
  limit: z.optional(z.int().check(z.describe("How many lines to read"))),
  pages: z.optional(
    z.string().check(z.describe('Range of pages, e.g. "1-5"; only for documents with pages')),
  ),
});
type Input = z.infer<typeof Input>;

/** Text alone, or with images. */
type Output = { readonly text: string } | Shown;

/** Which advice on `offset` and `limit` the prompt gives (A4.12); never both. */
export type ReadAdvice = "default" | "targeted";

const ADVICE: Readonly<Record<ReadAdvice, string>> = {
  default:
    "offset and limit page through a long file; for any other, leave both out and read the whole file, so that you miss nothing around the part you look for.",
  targeted:
    "when you know which part of the file you need, read only that part with offset and limit; in a large file that saves most of its cost.",
};

/** What this system can show other than text. */
export interface Shows {
  readonly images: boolean;
  readonly documents: boolean;
}

/** Promises only what works here (A4.13). */
export function readPrompt(advice: ReadAdvice, { images, documents }: Shows): ToolPrompt {
  const looks = images ? "their text and an image of each" : "their text";
  const only = (works: boolean, ...sentences: string[]) => (works ? sentences : []);
  return {
    what: [
      "Reads a file from the local file system. Text is shown as lines, each with its number and a tab in front (like cat -n).",
      "A notebook (.ipynb) is shown as its cells with their outputs.",
      ...only(images, "An image (PNG, JPG, GIF, WebP) is shown as an image."),
      ...only(documents, `A PDF document is shown as pages: ${looks}.`),
    ],
    when: "to see what a file says before you explain, cite or change it. Several files can be read in one reply.",
    whenNot: [
      "for anything but the contents of one file.",
      naming`To find files use ${"Glob"}.`,
      naming`To find a text in many files use ${"Grep"}.`,
      naming`Never look at files with cat, head or tail in ${"Bash"}.`,
      "It does not list directories and does not show programs, archives or other binary files.",
    ],
    how: [
      `file_path must be absolute; ~ is not expanded. Line numbers start at 1. ${ADVICE[advice]} The number and the tab in front of a line are not part of the file: leave them out when you quote or edit it. Of a notebook, offset and limit count cells.`,
      ...only(
        documents,
        `A PDF of more than ${PDF_PAGES_UNASKED} pages needs pages, such as "1-5": at most ${MAX_PDF_PAGES} pages in one call.`,
      ),
    ],
    recover:
      "the message names the cause and, for a missing file, similar names in its directory. When a result ends with a notice that there is more, call again with the offset it names.",
    limits: `up to ${DEFAULT_LINES} lines from the start of the file unless limit says otherwise; fewer if they are longer than one result may be. Lines over ${MAX_LINE_CHARS} characters are cut with a mark.`,
  };
}

export const readTool: Tool<Input, Output, ThreadCallContext> = {
  name: "Read",
  /** A getter, because it looks for packages and an agent's thread never needs it. */
  get description() {
    return readPrompt("default", { images: hasImages(), documents: hasDocuments() });
  },
  inputSchema: Input,
  permissionLevel: "read",
  title: ({ file_path, offset, pages }) => {
    if (pages !== undefined) return `${file_path} (pages ${pages})`;
    return offset === undefined ? file_path : `${file_path}:${offset}`;
  },
  problem: inputProblem,
  accesses: ({ file_path }, cwd) => [{ kind: "read", target: resolvePath(cwd, file_path) }],
  call: read,
  mapToolResultToToolResultBlockParam: (output) => ("text" in output ? output.text : output.blocks),
};

export async function read(input: Input, context: ReadContext): Promise<Output | ToolFailure> {
  // Resolved as the gate does it: for the system, a `..` after a link could lead elsewhere.
  const found = await openRegular(resolvePath(context.cwd, input.file_path));
  if (found.type === "unusable") return failed(found.reason);
  return withFile(found, context.signal, async () => readAs(kindOf(found), found, input, context));
}

/** Libraries and large modules are loaded by the first call that needs them. */
async function readAs(
  kind: FileKind,
  found: OpenRegularFile,
  { offset, limit, pages }: Input,
  context: ReadContext,
): Promise<Output | ToolFailure> {
  const from = Math.max(1, offset ?? 1);
  if (pages !== undefined && kind.type !== "document")
    return failed(`pages is for documents with pages, and ${found.path} has none: use offset and limit.`);
  switch (kind.type) {
    case "image":
      return (await import("./read-media.ts")).readImage(found, kind.mediaType, context);
    case "document":
      return (await import("./read-media.ts")).readDocument(found, pages, context);
    case "notebook": {
      const { readNotebook } = await import("./read-notebook.ts");
      return readNotebook(found, { from, count: limit ?? Number.POSITIVE_INFINITY }, context);
    }
    case "other":
      return readLines(found, { from, count: limit ?? DEFAULT_LINES }, context);
    default:
      return kind satisfies never;
  }
}

function kindOf({ file, path, stats }: OpenRegularFile): FileKind {
  const bytes = Buffer.alloc(KIND_BYTES);
  const kind = fileKind(path, bytes.subarray(0, readSync(file.fd, bytes, 0, KIND_BYTES, 0)));
  return kind.type === "notebook" && stats.size === 0 ? { type: "other" } : kind;
}

async function readLines(
  { file, path, stats }: OpenRegularFile,
  { from, count }: { readonly from: number; readonly count: number },
  { signal, reads, resultChars = RESULT_CHARS }: ReadContext,
): Promise<Output | ToolFailure> {
  const whole = stats.size <= WHOLE_DIGEST_BYTES ? createHash("sha256") : null;
  const wanted = { from, count, maxChars: resultChars - NOTICE_CHARS, size: stats.size };
  const text = await readTextLines(file, wanted, signal, (bytes) => whole?.update(bytes));
  if (text.type === "binary") return failed(binaryProblem(path, text.encoding));
  if (text.lines.length === 0 && text.total !== null && text.total > 0)
    return failed(`Line ${from} is past the end: ${path} has ${formatCount(text.total, "line")}.`);
  const shownLines = { from, count: text.lines.length };
  const wholeDigest = whole && { wholeDigest: whole.digest("hex") };
  reads.record(seenEntry(path, stats, { digest: text.digest, lines: shownLines, ...wholeDigest }));
  return { text: shown(path, text, from) };
}

function inputProblem({ file_path, offset, limit }: Input, cwd: string): string | null {
  const relative = pathInputProblem("file_path", file_path, cwd);
  if (relative !== null) return relative;
  if (offset !== undefined && offset < 0) return "offset must not be negative: lines are counted from 1.";
  if (limit !== undefined && limit < 1) return "limit must be at least 1.";
  return null;
}

function binaryProblem(path: string, encoding: "utf-16" | null): string {
  return encoding === null
    ? `${path} is a binary file (it contains NUL bytes); Read cannot show it. Look at it with a suitable program, or continue without it.`
    : `${path} is text in UTF-16, which Read cannot show yet; it shows UTF-8. Search it with Grep, or convert a copy of it.`;
}

function shown(path: string, { lines, total }: Extract<TextLines, { type: "text" }>, from: number): string {
  if (lines.length === 0) return `[${path} is empty.]`;
  const last = from + lines.length - 1;
  const numbered = lines.map((line, at) => `${from + at}\t${line}`).join("\n");
  if (last === total) return numbered;
  const whole = total === null ? "the file is longer" : `the file has ${total}`;
  return `${numbered}\n\n[Lines ${from} to ${last}; ${whole}. Continue with offset: ${last + 1}.]`;
}
