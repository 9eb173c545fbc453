import * as z from "zod/mini";
import type { FileDiff } from "../lib/file-diff.ts";
import { atomicWrite } from "./atomic-write.ts";
import { diffField, diffFile, previewFile, readExisting } from "./file-diff.ts";
import { pathInputProblem, resolvePath } from "./paths.ts";
import { knownEntry, overwriteProblem } from "./read-guard.ts";
import { usesCrlf, withCrlf } from "./text-lines.ts";
import {
  failed,
  naming,
  type ThreadCallContext,
  type Tool,
  type ToolFailure,
  type ToolPrompt,
} from "./tool.ts";
import { writeAccesses, writePlace } from "./write-place.ts";

const Input = z.strictObject({
  file_path: z.string().check(z.describe("Absolute path of the file to write (required)")),
  content: z.string().check(z.describe("The whole content of the file (required)")),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly path: string;
  readonly lines: number;
  readonly overwritten: boolean;
  readonly crlf: boolean;
  readonly diff: FileDiff | null;
}

export const writePrompt: ToolPrompt = {
  what: "Writes a whole file: creates it, with the directories above it, or replaces its content.",
  when: "for a new file, or when most of a file changes.",
  whenNot: [
    naming`To change parts of a file, use ${"Edit"}: it sends only what changes and keeps the rest.`,
    naming`Never write files through echo, cat or a heredoc in ${"Bash"}.`,
    "Do not create documentation or other files that were not requested.",
  ],
  how: [
    "file_path must be absolute; ~ is not expanded. content is the whole file.",
    naming`Before you overwrite a file, read it with ${"Read"}: what is not in content is lost.`,
  ],
  recover:
    "the message names the cause; an existing file is then unchanged. If another agent has written the file and you have not seen its work, read it and write again with both.",
  limits:
    "a file keeps its permissions, and CRLF line ends if it had them. The result says whether the file is new and how many lines it has.",
};

export const writeTool: Tool<Input, Output, ThreadCallContext> = {
  name: "Write",
  description: writePrompt,
  inputSchema: Input,
  permissionLevel: "write",
  parallel: false,
  title: ({ file_path }) => file_path,
  problem: ({ file_path }, cwd) => pathInputProblem("file_path", file_path, cwd),
  accesses: ({ file_path }, cwd) => writeAccesses(cwd, file_path),
  call: write,
  mapToolResultToToolResultBlockParam: ({ path, lines, overwritten, crlf }) => {
    const what = overwritten ? "overwritten" : "created";
    const kept = crlf ? " Its line ends are CRLF, as before." : "";
    return `${path} was ${what}: ${lines} line${lines === 1 ? "" : "s"}.${kept}`;
  },
  preview: ({ file_path, content }, cwd) =>
    previewFile(resolvePath(cwd, file_path), (bytes) => {
      const before = bytes?.toString("utf8") ?? null;
      return { before, after: keepsCrlf(before, content) ? withCrlf(content) : content };
    }),
  response: ({ path, overwritten, diff }, { content }) => {
    const type = overwritten ? "update" : "create";
    return { success: true, type, filePath: path, content, ...diffField(diff) };
  },
};

async function write(
  { file_path, content }: Input,
  context: ThreadCallContext,
): Promise<Output | ToolFailure> {
  const place = writePlace(resolvePath(context.cwd, file_path), context);
  if (place.type === "unusable") return failed(place.reason);
  const { path, existing } = place;
  if (existing !== null) {
    const unseen = overwriteProblem(path, existing, context);
    if (unseen !== null) return failed(unseen);
  }
  const old = existing === null ? null : await readExisting(path);
  const before = old === null || old === "unknown" ? null : old.bytes.toString("utf8");
  const crlf = keepsCrlf(before, content);
  const after = crlf ? withCrlf(content) : content;
  const bytes = Buffer.from(after, "utf8");
  const written = await atomicWrite(place, bytes, context);
  if (written.type === "unusable") return failed(written.reason);
  context.reads.record(knownEntry(path, written.stats, bytes));
  const isKnown = old === null || (old !== "unknown" && old.isWhole);
  const diff = isKnown ? await diffFile(path, { before, after }) : null;
  return { path, lines: linesIn(content), overwritten: existing !== null, crlf, diff };
}

/** Read shows no carriage returns, so a model does not know about them. */
function keepsCrlf(before: string | null, content: string): boolean {
  return before !== null && content.includes("\n") && !content.includes("\r") && usesCrlf(before);
}

function linesIn(content: string): number {
  return content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
}
