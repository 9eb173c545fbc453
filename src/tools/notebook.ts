import * as z from "zod/mini";
import { parseExactly } from "./exact-json.ts";

/** Larger notebooks are not held in memory. */
export const MAX_NOTEBOOK_BYTES = 64 * 1024 * 1024;

const Text = z.union([z.string(), z.array(z.string())]);

const Output = z.looseObject({
  output_type: z.string(),
  text: z.optional(Text),
  data: z.optional(z.record(z.string(), z.unknown())),
  traceback: z.optional(z.array(z.string())),
  ename: z.optional(z.string()),
  evalue: z.optional(z.string()),
});
export type CellOutput = z.infer<typeof Output>;

const Cell = z.looseObject({
  cell_type: z.enum(["code", "markdown", "raw"]),
  id: z.optional(z.string()),
  source: Text,
  metadata: z.optional(z.record(z.string(), z.unknown())),
  outputs: z.optional(z.array(Output)),
  execution_count: z.optional(z.nullable(z.number())),
});
export type NotebookCell = z.infer<typeof Cell>;

const Notebook = z.looseObject({
  nbformat: z.literal(4),
  nbformat_minor: z.number(),
  cells: z.array(Cell),
});
export type Notebook = z.infer<typeof Notebook>;

export type ParsedNotebook =
  | { readonly type: "notebook"; readonly notebook: Notebook }
  | { readonly type: "wrong"; readonly reason: string };

/** Parses a notebook of format 4; unknown fields are kept, in their order. */
export function parseNotebook(text: string): ParsedNotebook {
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch {
    return { type: "wrong", reason: "is not a notebook: it is not valid JSON" };
  }
  if (isNotebook(value)) return { type: "notebook", notebook: value };
  const old = typeof value === "object" && value !== null && "worksheets" in value;
  return {
    type: "wrong",
    reason: old
      ? "is a notebook of an old format (before 4)"
      : "is not a notebook: it has no list of cells of format 4",
  };
}

function isNotebook(value: unknown): value is Notebook {
  return z.safeParse(Notebook, value).success;
}

export function cellSource({ source }: NotebookCell): string {
  return joined(source);
}

export function joined(text: string | readonly string[]): string {
  return typeof text === "string" ? text : text.join("");
}

/** Returns the ID of a cell, or a name with its number if it has none (formats before 4.5 have no IDs). */
export function cellName({ id }: NotebookCell, index: number): string {
  return id ?? `cell-${index + 1}`;
}

/** Returns the index of the cell of this name, or -1. A real ID counts before a number. */
export function findCell({ cells }: Notebook, name: string): number {
  const byId = cells.findIndex(({ id }) => id === name);
  return byId >= 0 ? byId : cells.findIndex((cell, index) => cellName(cell, index) === name);
}
