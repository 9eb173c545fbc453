import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { extname, isAbsolute } from "node:path";
import * as z from "zod/mini";
import { resolvePath, whyUnusable } from "./paths.ts";
import { naming } from "./prompt.ts";
import { RESULT_CHARS } from "./result-size.ts";
import { MAX_LINE_CHARS, readTextLines, type TextLines } from "./text-lines.ts";
import { type AgentCallContext, failed, type Tool, type ToolFailure, type ToolPrompt } from "./tool.ts";

export const DEFAULT_LINES = 2_000;

const Input = z.object({
  file_path: z.string().check(z.describe("Absolute path of the file to read (required)")),
  offset: z.optional(z.int().check(z.describe("Number of the first line to read, counted from 1"))),
  limit: z.optional(z.int().check(z.describe("How many lines to read"))),
  pages: z.optional(
    z.string().check(z.describe('Range of pages, e.g. "1-5"; only for documents with pages')),
  ),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly text: string;
}

/** Which advice on `offset` and `limit` the prompt gives (A4.12); never both. */
export type ReadAdvice = "default" | "targeted";

const ADVICE: Readonly<Record<ReadAdvice, string>> = {
  default:
    "offset and limit page through a long file; for any other, leave both out and read the whole file, so that nothing around the place you look for escapes you.",
  targeted:
    "when you know which part of the file you need, read only that part with offset and limit; in a large file that saves most of its cost.",
};

export function readPrompt(advice: ReadAdvice): ToolPrompt {
  return {
    what: "Reads a text file from the local file system and shows its lines, each as its number, a tab and its text (like cat -n).",
    when: "to see what a file really says, before you explain, cite or change it. Several files can be read in one reply.",
    whenNot: [
      "for anything but the contents of one file.",
      naming`To find files use ${"Glob"}.`,
      naming`To find a text in many files use ${"Grep"}.`,
      naming`Never look at files with cat, head or tail in ${"Bash"}.`,
      "It does not list folders and does not show pictures, notebooks or other binary files.",
    ],
    how: `file_path must be absolute; ~ is not expanded. Line numbers start at 1. ${ADVICE[advice]} The number and the tab in front of a line are not part of the file: leave them out when you quote or edit it.`,
    recover:
      "the message names the cause and, for a missing file, similar names in its folder. When a result ends with a notice that there is more, call again with the offset it names.",
    limits: `up to ${DEFAULT_LINES} lines from the start of the file unless limit says otherwise; lines over ${MAX_LINE_CHARS} characters are cut with a mark.`,
  };
}

export const readTool: Tool<Input, Output, AgentCallContext> = {
  name: "Read",
  aliases: [],
  description: readPrompt("default"),
  inputSchema: Input,
  permissionLevel: "read",
  parallel: true,
  title: ({ file_path, offset }) => (offset === undefined ? file_path : `${file_path}:${offset}`),
  accesses: ({ file_path }, cwd) => [{ kind: "read", target: resolvePath(cwd, file_path) }],
  call: read,
  mapToolResultToToolResultBlockParam: ({ text }) => text,
};

async function read(input: Input, context: AgentCallContext): Promise<Output | ToolFailure> {
  const complaint = complaintAbout(input, context.cwd);
  if (complaint !== null) return failed(complaint);
  const from = Math.max(1, input.offset ?? 1);
  const found = await openFile(input.file_path);
  if (found.type === "unusable") return failed(found.reason);
  // The read permission of the real path is asked here, between open and the first byte, once there is a gate.
  const { file, path, stats } = found;
  try {
    const wanted = { from, count: input.limit ?? DEFAULT_LINES, maxChars: RESULT_CHARS };
    const text = await readTextLines(file, wanted, context.signal);
    if (text.type === "binary") return failed(whyBinary(path, text.encoding));
    if (text.lines.length === 0 && text.total !== null && text.total > 0)
      return failed(`Line ${from} is past the end: ${path} has ${count(text.total, "line")}.`);
    context.reads.record({
      path,
      size: stats.size,
      mtimeMs: stats.mtimeMs,
      inode: stats.ino,
      digest: createHash("sha256").update(text.lines.join("\n")).digest("hex"),
    });
    return { text: shown(path, text, from) };
  } finally {
    await file.close();
  }
}

function complaintAbout({ file_path, offset, limit, pages }: Input, cwd: string): string | null {
  if (!isAbsolute(file_path)) {
    const rule = `file_path must be absolute, and ${JSON.stringify(file_path)} is not.`;
    return file_path.startsWith("~")
      ? `${rule} ~ is not expanded; write the home folder out.`
      : `${rule} You probably mean ${resolvePath(cwd, file_path)}.`;
  }
  if (offset !== undefined && offset < 0) return "offset must not be negative: lines are counted from 1.";
  if (limit !== undefined && limit < 1) return "limit must be at least 1.";
  const kind = unsupportedKind(file_path);
  if (kind !== null) return `${file_path} is ${kind}, which Read cannot show yet; it shows text files.`;
  if (pages !== undefined)
    return `pages is for documents with pages, and ${file_path} is read by lines: use offset and limit.`;
  return null;
}

function unsupportedKind(path: string): string | null {
  switch (extname(path).toLowerCase()) {
    case ".png":
    case ".jpg":
    case ".jpeg":
    case ".gif":
    case ".webp":
      return "an image";
    case ".pdf":
      return "a PDF document";
    case ".ipynb":
      return "a notebook";
    default:
      return null;
  }
}

type Found =
  | {
      readonly type: "file";
      readonly file: Awaited<ReturnType<typeof open>>;
      readonly path: string;
      readonly stats: Stats;
    }
  | { readonly type: "unusable"; readonly reason: string };

/**
 * Looked at before it is opened, because opening a device can act on it, and again afterwards, because it may
 * have been replaced; not blocking, because a pipe without a writer would hold the thread for ever.
 */
async function openFile(path: string): Promise<Found> {
  try {
    const real = await realpath(path);
    const before = irregular(real, await stat(real));
    if (before !== null) return { type: "unusable", reason: before };
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    const after = irregular(real, stats);
    if (after === null) return { type: "file", file, path: real, stats };
    await file.close();
    return { type: "unusable", reason: after };
  } catch (error) {
    return { type: "unusable", reason: await whyUnusable(path, error) };
  }
}

function irregular(path: string, stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isDirectory())
    return `${path} is a folder, not a file. List what is in it with Glob (path: ${JSON.stringify(path)}, pattern: "*").`;
  return `${path} is a ${stats.isFIFO() ? "named pipe" : stats.isSocket() ? "socket" : "device"}, not a file; it cannot be read.`;
}

function whyBinary(path: string, encoding: "utf-16" | null): string {
  return encoding === null
    ? `${path} is a binary file (it contains NUL bytes); Read shows text files only.`
    : `${path} is text in UTF-16, which Read cannot show yet; it shows UTF-8.`;
}

function shown(path: string, { lines, total }: Extract<TextLines, { type: "text" }>, from: number): string {
  if (lines.length === 0) return `[${path} is empty.]`;
  const last = from + lines.length - 1;
  const numbered = lines.map((line, at) => `${from + at}\t${line}`).join("\n");
  if (last === total) return numbered;
  const whole = total === null ? "the file goes on" : `the file has ${total}`;
  return `${numbered}\n\n[Lines ${from} to ${last}; ${whole}. Go on with offset: ${last + 1}.]`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
