import * as z from "zod/mini";
import type { FileDiff } from "../lib/file-diff.ts";
import { atomicWrite } from "./atomic-write.ts";
import { diffField, diffFile, previewFile } from "./file-diff.ts";
import {
  cellName,
  findCell,
  MAX_NOTEBOOK_BYTES,
  type Notebook,
  type NotebookCell,
  parseNotebook,
  writeLike,
} from "./notebook.ts";
import { pathInputProblem, resolvePath } from "./paths.ts";
import { knownEntry, readState } from "./read-guard.ts";
import { type OpenRegularFile, openRegular, withFile } from "./regular-file.ts";
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
  notebook_path: z.string().check(z.describe("Absolute path of the notebook, a .ipynb file (required)")),
  cell_id: z.optional(
    z.string().check(z.describe("Id of the cell; a new cell is put after it, or at the start if absent")),
  ),
  new_source: z.string().check(z.describe("What the cell is to contain; ignored for delete (required)")),
  cell_type: z.optional(
    z.enum(["code", "markdown"]).check(z.describe("Kind of the cell; required for insert")),
  ),
  edit_mode: z.optional(
    z.enum(["replace", "insert", "delete"]).check(z.describe("What to do with the cell (default replace)")),
  ),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly path: string;
  readonly mode: "replace" | "insert" | "delete";
  readonly cell: string;
  readonly number: number;
  readonly diff: FileDiff | null;
}

export const notebookEditPrompt: ToolPrompt = {
  what: "Changes one cell of a Jupyter notebook (.ipynb): replaces its source, inserts a new cell, or deletes one.",
  when: "for every change to a notebook; its file stays valid.",
  whenNot: [
    "for other files.",
    naming`Change those with ${"Edit"}.`,
    "It runs nothing: outputs of a cell that is replaced are removed.",
  ],
  how: [
    naming`You must have read the notebook with ${"Read"} in this conversation, which shows the id of each cell: NotebookEdit fails otherwise, and also when it was changed since.`,
    "notebook_path must be absolute. edit_mode is replace unless you say otherwise. insert needs cell_type, and puts the new cell after cell_id, or at the start without one. delete needs cell_id; its new_source is ignored, so send an empty one.",
  ],
  recover:
    "when a cell is not found, the message lists the cells; when the notebook was changed since you read it, read it again. After a failure the file is as it was.",
  limits:
    "one cell at a time, in notebooks of format 4. The result names the cell, also the id of a new one.",
};

export const notebookEditTool: Tool<Input, Output, ThreadCallContext> = {
  name: "NotebookEdit",
  description: notebookEditPrompt,
  inputSchema: Input,
  permissionLevel: "write",
  parallel: false,
  title: ({ notebook_path, cell_id }) =>
    cell_id === undefined ? notebook_path : `${notebook_path} (${cell_id})`,
  problem: inputProblem,
  accesses: ({ notebook_path }, cwd) => writeAccesses(cwd, notebook_path),
  call: notebookEdit,
  mapToolResultToToolResultBlockParam: ({ path, mode, cell, number }) =>
    `${path}: cell ${JSON.stringify(cell)} was ${DONE[mode]} ${mode === "delete" ? "from" : "as"} cell number ${number}.`,
  preview: (input, cwd) =>
    previewFile(resolvePath(cwd, input.notebook_path), (bytes) => {
      const before = bytes?.toString("utf8") ?? null;
      const parsed = before === null ? null : parseNotebook(before);
      if (parsed === null || before === null || parsed.type === "wrong") return null;
      const edited = editCells(parsed.notebook, input, "new");
      return edited.type === "wrong" ? null : { before, after: writeLike(before, parsed.notebook) };
    }),
  response: ({ path, mode, cell, diff }, { new_source }) => ({
    ...{ success: true, filePath: path },
    ...{ edit_mode: mode, cell_id: cell, new_source },
    ...diffField(diff),
  }),
};

const DONE = { replace: "replaced", insert: "inserted", delete: "deleted" } as const;

function inputProblem({ notebook_path }: Input, cwd: string): string | null {
  const problem = pathInputProblem("notebook_path", notebook_path, cwd);
  if (problem !== null || notebook_path.toLowerCase().endsWith(".ipynb")) return problem;
  return `${notebook_path} is not a notebook (.ipynb). Change other files with Edit.`;
}

async function notebookEdit(input: Input, context: ThreadCallContext): Promise<Output | ToolFailure> {
  const found = await openRegular(resolvePath(context.cwd, input.notebook_path));
  if (found.type === "unusable") return failed(found.reason);
  return withFile(found, context.signal, () => editFile(found, input, context));
}

async function editFile(
  { file, path, stats }: OpenRegularFile,
  input: Input,
  context: ThreadCallContext,
): Promise<Output | ToolFailure> {
  if (stats.size > MAX_NOTEBOOK_BYTES)
    return failed(`${path} has ${stats.size} bytes; notebooks are changed up to ${MAX_NOTEBOOK_BYTES}.`);
  const bytes = await file.readFile();
  const state = await readState({ path, stats, bytes, file }, context);
  if (state.type !== "seen") return failed(state.reason);
  const text = bytes.toString("utf8");
  const parsed = parseNotebook(text);
  if (parsed.type === "wrong")
    return failed(`${path} ${parsed.reason}. Nothing was changed; Write can rewrite it as a whole.`);
  const { notebook_path, edit_mode: mode = "replace" } = input;
  const edited = editCells(parsed.notebook, input, context.call.replaceAll(".", "-"));
  if (edited.type === "wrong") return failed(`${path}: ${edited.reason} Nothing was changed.`);

  const place = writePlace(resolvePath(context.cwd, notebook_path), context);
  if (place.type === "unusable") return failed(place.reason);
  if (place.path !== path)
    return failed(`Nothing was written: ${notebook_path} now leads to another file. Read it again.`);
  const after = writeLike(text, parsed.notebook);
  const result = Buffer.from(after, "utf8");
  const written = await atomicWrite({ ...place, existing: stats }, result, context);
  if (written.type === "unusable") return failed(written.reason);
  context.reads.record(knownEntry(path, written.stats, result));
  const diff = await diffFile(path, { before: text, after });
  return { path, mode, cell: edited.cell, number: edited.number, diff };
}

type CellEdited =
  | { readonly type: "edited"; readonly cell: string; readonly number: number }
  | { readonly type: "wrong"; readonly reason: string };

/**
 * Changes the notebook in place; it stays valid for its format. `newId` is the ID of a new cell, with a number if it is
 * taken.
 */
function editCells(notebook: Notebook, input: Input, newId: string): CellEdited {
  const { edit_mode: mode = "replace", cell_id: cellId, cell_type: cellType, new_source: source } = input;
  const at = cellId === undefined ? -1 : findCell(notebook, cellId);
  if (cellId !== undefined && at < 0)
    return wrong(`there is no cell ${JSON.stringify(cellId)}. ${known(notebook)}`);
  const cell = notebook.cells[at];
  switch (mode) {
    case "insert": {
      if (cellType === undefined) return wrong("cell_type is required to insert a cell: code or markdown.");
      const position = at + 1;
      notebook.cells.splice(position, 0, newCell(cellType, source));
      return named(notebook, position, newId);
    }
    case "replace":
      if (cell === undefined) return wrong(`cell_id says which cell to replace. ${known(notebook)}`);
      notebook.cells[at] = replaced(cell, cellType ?? cell.cell_type, source);
      return named(notebook, at, newId);
    case "delete":
      if (cell === undefined) return wrong(`cell_id says which cell to delete. ${known(notebook)}`);
      notebook.cells.splice(at, 1);
      giveIds(notebook, newId);
      return { type: "edited", cell: cellName(cell, at), number: at + 1 };
    default:
      return mode satisfies never;
  }
}

function newCell(type: "code" | "markdown", source: string): NotebookCell {
  const common = { cell_type: type, metadata: {}, source: linesOf(source) };
  return type === "code" ? { ...common, execution_count: null, outputs: [] } : common;
}

/** The outputs belong to the old source, so they are removed. */
function replaced(cell: NotebookCell, type: NotebookCell["cell_type"], source: string): NotebookCell {
  const { outputs: _, execution_count: __, attachments, ...kept } = cell;
  const next: NotebookCell = {
    ...kept,
    cell_type: type,
    // As the cell had it: a list of lines, or one string.
    source: typeof cell.source === "string" ? source : linesOf(source),
  };
  if (type === "code") return { ...next, execution_count: null, outputs: [] };
  return attachments === undefined ? next : { ...next, attachments };
}

function named(notebook: Notebook, at: number, newId: string): CellEdited {
  giveIds(notebook, newId);
  const cell = notebook.cells[at];
  return { type: "edited", cell: cell ? cellName(cell, at) : "", number: at + 1 };
}

/** From format 4.5 every cell must have an ID; before, none may have one. */
function giveIds({ cells, nbformat_minor }: Notebook, newId: string): void {
  if (nbformat_minor < 5) return;
  const taken = new Set(cells.map(({ id }) => id));
  for (const cell of cells) {
    if (cell.id !== undefined) continue;
    let id = newId;
    for (let number = 2; taken.has(id); number += 1) id = `${newId}-${number}`;
    taken.add(id);
    cell.id = id;
  }
}

/** Notebooks keep text as lines with their ends. */
function linesOf(source: string): string[] {
  return source === "" ? [] : source.split(/(?<=\n)/);
}

function known({ cells }: Notebook): string {
  if (cells.length === 0) return "It has no cells yet.";
  const names = cells.slice(0, 20).map((cell, at) => JSON.stringify(cellName(cell, at)));
  return `Its cells are ${names.join(", ")}${cells.length > names.length ? " and more" : ""}.`;
}

function wrong(reason: string): CellEdited {
  return { type: "wrong", reason };
}
