import * as z from "zod/mini";

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

declare global {
  // Part of the language since ES2026; the compiler's library does not have it yet.
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): unknown;
  }
}

/** Parses JSON so that numbers are written again as they were: `1.0`, or ones too large for JavaScript. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}

/** Writes JSON with the indent of the original, and its line feed at the end. */
export function writeLike(original: string, value: unknown): string {
  const indent =
    /^[[{]\r?\n([ \t]+)/.exec(original.trimStart())?.[1] ?? (original.trim().includes("\n") ? " " : "");
  return `${JSON.stringify(value, null, indent)}${/\n\s*$/.test(original) ? "\n" : ""}`;
}
