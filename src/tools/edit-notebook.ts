import { cellName, findCell, type Notebook, type NotebookCell } from "./notebook.ts";

/** One change of a notebook's cells. */
export interface CellEdit {
  readonly mode: "replace" | "insert" | "delete";
  readonly cellId: string | undefined;
  readonly cellType: "code" | "markdown" | undefined;
  readonly source: string;
}

export type CellEdited =
  | { readonly type: "edited"; readonly cell: string; readonly number: number }
  | { readonly type: "wrong"; readonly reason: string };

/**
 * Changes the notebook in place; it stays valid for its format. `newId` is the ID of a new cell, with a number if it is
 * taken.
 */
export function editCells(notebook: Notebook, edit: CellEdit, newId: string): CellEdited {
  const { mode, cellId, cellType, source } = edit;
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
