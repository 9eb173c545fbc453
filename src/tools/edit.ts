import { isUtf8 } from "node:buffer";
import * as z from "zod/mini";
import type { FileDiff } from "../lib/file-diff.ts";
import { atomicWrite } from "./atomic-write.ts";
import { diffField, diffFile, previewFile } from "./file-diff.ts";
import { pathInputProblem, resolvePath } from "./paths.ts";
import { type Current, knownEntry, readState } from "./read-guard.ts";
import { type OpenRegularFile, openRegular, withFile } from "./regular-file.ts";
import { type Replacement, replaceText, type TextReading } from "./replace-text.ts";
import {
  FILE_RULES,
  failed,
  naming,
  type ThreadCallContext,
  type Tool,
  type ToolFailure,
  type ToolPrompt,
} from "./tool.ts";
import { writeAccesses, writePlace } from "./write-place.ts";

/** Larger files are not held whole in memory to be changed. */
export const MAX_EDIT_BYTES = 64 * 1024 * 1024;

const Input = z.strictObject({
  file_path: z.string().check(z.describe("Absolute path of the file to change (required)")),
  old_string: z
    .string()
    .check(z.describe("Text to replace, exactly as it is in the file; it must occur only once (required)")),
  new_string: z
    .string()
    .check(z.describe("Text to put in its place; it must differ from old_string (required)")),
  replace_all: z.optional(
    z.boolean().check(z.describe("Replace every occurrence of old_string (default false)")),
  ),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly path: string;
  readonly count: number;
  readonly line: number;
  readonly reading: TextReading;
  /** The file had changed since it was read, which the settings allow. */
  readonly isOther: boolean;
  readonly diff: FileDiff | null;
}

export const editPrompt: ToolPrompt = {
  what: "Replaces one exact piece of text in a file. Everything around it, line ends and permissions stay as they are.",
  when: "for any change to a file that exists. It sends only what changes, and it cannot change the wrong place.",
  whenNot: [
    "for a new file, or one that changes as a whole.",
    naming`To create a file or to rewrite it as a whole, use ${"Write"}.`,
    naming`For the cells of a notebook (.ipynb), use ${"NotebookEdit"}.`,
    naming`Never change files through sed or awk in ${"Bash"}.`,
  ],
  how: [
    naming`You must have read the file with ${"Read"} in this conversation: Edit fails otherwise, and also when the file was changed since.`,
    "file_path must be absolute. old_string is copied from the file with its exact indentation, and is the smallest text that occurs only once: usually 2-4 lines, not 10 or more. To replace every occurrence, for example of a name, set replace_all.",
    naming`Each line that ${"Read"} shows begins with its line number and a tab. They are not part of the file: never include any of that prefix in old_string or new_string.`,
  ],
  recover:
    "when old_string is not found, read that part again and copy it; when it is found several times, add lines around it until it occurs once, or set replace_all; when the file was changed since you read it, read it again. After a failure the file is as it was.",
  limits: `one replacement at a time, of files up to ${MAX_EDIT_BYTES / 1024 / 1024} MB. The result says how many places were replaced and where the first one is.`,
};

export const editTool: Tool<Input, Output, ThreadCallContext> = {
  name: "Edit",
  description: editPrompt,
  inputSchema: Input,
  permissionLevel: "write",
  parallel: false,
  title: ({ file_path }) => file_path,
  problem: inputProblem,
  accesses: ({ file_path }, cwd) => writeAccesses(cwd, file_path),
  call: edit,
  mapToolResultToToolResultBlockParam: ({ path, count, line, reading, isOther }) => {
    const places = count === 1 ? `line ${line}` : `${count} places, the first in line ${line}`;
    const other = isOther
      ? " It was changed since you read it: read it again before you rely on the rest."
      : "";
    return `${path} was edited: ${places}.${HOW_READ[reading]}${other}`;
  },
  preview: (input, cwd) =>
    previewFile(resolvePath(cwd, input.file_path), (bytes) => {
      if (bytes === null) return null;
      const { content, replaced } = replaceIn(bytes, input);
      return replaced.type === "replaced" ? { before: content.text, after: replaced.text } : null;
    }),
  response: ({ path, diff }, { old_string, new_string, replace_all = false }) => ({
    ...{ success: true, filePath: path },
    ...{ oldString: old_string, newString: new_string, replaceAll: replace_all },
    ...diffField(diff),
  }),
};

const HOW_READ: Readonly<Record<TextReading, string>> = {
  exact: "",
  "without line numbers": " The line numbers in old_string and new_string were left out.",
  "with straight quotes": " old_string was found with other quotes; new_string was put in as it is.",
  both: " The line numbers were left out, and old_string was found with other quotes; new_string was put in as it is.",
};

async function edit(input: Input, context: ThreadCallContext): Promise<Output | ToolFailure> {
  const found = await openRegular(resolvePath(context.cwd, input.file_path));
  if (found.type === "unusable") return failed(found.reason);
  return withFile(found, context.signal, () => editFile(found, input, context));
}

async function editFile(
  { file, path, stats }: OpenRegularFile,
  input: Input,
  context: ThreadCallContext,
): Promise<Output | ToolFailure> {
  if (stats.size > MAX_EDIT_BYTES)
    return failed(`${path} has ${stats.size} bytes; Edit changes files up to ${MAX_EDIT_BYTES}.`);
  const bytes = await file.readFile();
  const current: Current = { path, stats, bytes, file };
  const { fileRules = FILE_RULES } = context;
  const state = await readState(current, context);
  const isOther = state.type === "changed" && fileRules.edit === "relaxed";
  if (state.type !== "seen" && !isOther) return failed(state.reason);
  // The last holder of the old file pays for its removal.
  file.close();

  const { content, replaced } = replaceIn(bytes, input);
  if (isOther && !isExactPlace(replaced)) return failed(state.reason);
  if (replaced.type !== "replaced") return failed(replaceProblem(path, replaced));
  if (replaced.text === content.text)
    return failed(`Nothing would change in ${path}: old_string and new_string mean the same there.`);

  const place = writePlace(resolvePath(context.cwd, input.file_path), context);
  if (place.type === "unusable") return failed(place.reason);
  if (place.path !== path)
    return failed(`Nothing was written: ${input.file_path} now leads to another file. Read it again.`);
  const result = content.bytes(replaced.text);
  // Only the file that was read may be replaced.
  const written = await atomicWrite({ ...place, existing: stats }, result, context);
  if (written.type === "unusable") return failed(written.reason);
  // The agent has not seen the rest of a changed file.
  if (!isOther) context.reads.record(knownEntry(path, written.stats, result));
  const { count, line, reading } = replaced;
  const diff = await diffFile(path, { before: content.text, after: replaced.text });
  return { path, count, line, reading, isOther, diff };
}

function replaceIn(
  bytes: Buffer,
  { old_string, new_string, replace_all = false }: Input,
): { readonly content: FileText; readonly replaced: Replacement } {
  const content = fileText(bytes);
  const [find, put] = [content.find(old_string), content.find(new_string)];
  return { content, replaced: replaceText(content.text, find, put, replace_all) };
}

/** True if the text occurred once, exactly: then other changes of the file do not matter (A22.8). */
function isExactPlace(replaced: Replacement): boolean {
  return replaced.type === "replaced" && replaced.count === 1 && replaced.reading === "exact";
}

function inputProblem({ file_path, old_string, new_string }: Input, cwd: string): string | null {
  const relative = pathInputProblem("file_path", file_path, cwd);
  if (relative !== null) return relative;
  if (old_string === new_string)
    return "old_string and new_string are the same, so nothing would change. Put into new_string what should be there.";
  if (old_string === "")
    return "old_string is empty. Give the text to replace; to write a file as a whole, use Write.";
  if (file_path.toLowerCase().endsWith(".ipynb"))
    return `${file_path} is a notebook. Change its cells with NotebookEdit.`;
  return null;
}

function replaceProblem(path: string, replaced: Exclude<Replacement, { type: "replaced" }>): string {
  if (replaced.type === "missing")
    return `old_string is not in ${path}, and nothing was changed. Read that part of the file again and copy the text exactly, with its indentation and without line numbers.`;
  const { count, lines } = replaced;
  const more = count > lines.length ? " and more" : "";
  return `old_string is in ${path} ${count} times (lines ${lines.join(", ")}${more}), and nothing was changed. Add lines around it until it occurs once, or set replace_all to change all ${count}.`;
}

/**
 * A file's bytes as text that can be edited so that all other bytes stay the same. If the file is not valid UTF-8, each
 * byte is one character, in the text to find as well.
 */
interface FileText {
  readonly text: string;
  /** Returns a string as it occurs in `text`. */
  find(string: string): string;
  bytes(text: string): Buffer;
}

function fileText(bytes: Buffer): FileText {
  return isUtf8(bytes)
    ? { text: bytes.toString("utf8"), find: (string) => string, bytes: (text) => Buffer.from(text, "utf8") }
    : {
        text: bytes.toString("latin1"),
        find: (string) => Buffer.from(string, "utf8").toString("latin1"),
        bytes: (text) => Buffer.from(text, "latin1"),
      };
}
