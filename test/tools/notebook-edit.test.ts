import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type Workbench, workbenches } from "./workbench.ts";

const workbench = workbenches();

const CELLS = [
  { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title\n", "text"] },
  {
    cell_type: "code",
    execution_count: 3,
    id: "sum",
    metadata: { tags: ["x"] },
    outputs: [{ output_type: "stream", name: "stdout", text: ["3\n"] }],
    source: "1 + 2",
  },
];

function notebook(cells: readonly object[] = CELLS, minor = 5): string {
  return `${JSON.stringify({ cells, metadata: { kernelspec: { name: "py" } }, nbformat: 4, nbformat_minor: minor }, null, 1)}\n`;
}

const Saved = z.object({ cells: z.array(z.looseObject({ cell_type: z.string() })), nbformat: z.literal(4) });

function cellsIn(bench: Workbench, name = "a.ipynb") {
  return z.parse(Saved, JSON.parse(readFileSync(bench.path(name), "utf8"))).cells;
}

async function opened(text = notebook(), name = "a.ipynb"): Promise<Workbench> {
  const bench = workbench({ [name]: text });
  await bench.call("Read", { file_path: bench.path(name) });
  return bench;
}

describe("the three modes (A3.25, A8.7)", () => {
  test("replace keeps what the cell is and drops what it gave", async () => {
    const bench = await opened();
    const input = { notebook_path: bench.path("a.ipynb"), cell_id: "sum", new_source: "4\n5" };
    expect(await bench.text("NotebookEdit", input)).toContain('cell "sum" was replaced as cell number 2.');
    expect(cellsIn(bench)).toEqual([
      CELLS[0],
      {
        cell_type: "code",
        execution_count: null,
        id: "sum",
        metadata: { tags: ["x"] },
        outputs: [],
        source: "4\n5",
      },
    ]);
    const second = { ...input, cell_id: "intro", cell_type: "code", new_source: "a\nb\n" };
    await bench.text("NotebookEdit", second);
    expect(cellsIn(bench)[0]).toEqual({
      cell_type: "code",
      id: "intro",
      metadata: {},
      source: ["a\n", "b\n"],
      execution_count: null,
      outputs: [],
    });
  });

  test("insert puts it after the cell, or at the start; cell_type is required", async () => {
    const bench = await opened();
    const notebook_path = bench.path("a.ipynb");
    const insert = { notebook_path, edit_mode: "insert", new_source: "x" };
    const before = readFileSync(notebook_path, "utf8");
    expect(await bench.failure("NotebookEdit", insert)).toContain("cell_type is required");
    expect(readFileSync(notebook_path, "utf8")).toBe(before);
    expect(await bench.text("NotebookEdit", { ...insert, cell_type: "code" })).toContain("as cell number 1");
    await bench.text("NotebookEdit", { ...insert, cell_type: "markdown", cell_id: "sum" });
    const cells = cellsIn(bench);
    expect(cells.map(({ cell_type }) => cell_type)).toEqual(["code", "markdown", "code", "markdown"]);
    const ids = cells.map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9-_]{1,64}$/);
    expect(cells[3]).toEqual({ cell_type: "markdown", id: ids[3], metadata: {}, source: ["x"] });
  });

  test("delete", async () => {
    const bench = await opened();
    const notebook_path = bench.path("a.ipynb");
    const input = { notebook_path, edit_mode: "delete", new_source: "", cell_id: "intro" };
    await bench.text("NotebookEdit", input);
    expect(cellsIn(bench)).toEqual([CELLS[1]]);
    expect(await bench.failure("NotebookEdit", input)).toContain('no cell "intro". Its cells are "sum".');
  });

  test("property: whatever is done, every cell is of its kind's form, and ids are one each", async () => {
    const step = fc.record({
      edit_mode: fc.constantFrom("replace", "insert", "delete"),
      cell_type: fc.constantFrom("code", "markdown"),
      at: fc.nat(5),
      new_source: fc.string({ maxLength: 20 }),
      named: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.constantFrom(4, 5), async (steps, minor) => {
        const withIds = minor >= 5 ? CELLS : CELLS.map(({ id: _, ...cell }) => cell);
        const bench = await opened(notebook(withIds, minor));
        for (const { at, named, ...rest } of steps) {
          const cells = cellsIn(bench);
          const id = cells[at]?.["id"] ?? `cell-${at + 1}`;
          const input = { notebook_path: bench.path("a.ipynb"), ...rest, ...(named ? { cell_id: id } : {}) };
          await bench.call("NotebookEdit", input);
        }
        const cells = cellsIn(bench);
        const ids = cells.flatMap(({ id }) => (id === undefined ? [] : [id]));
        expect(new Set(ids).size).toBe(minor >= 5 ? cells.length : 0);
        for (const cell of cells)
          expect(
            Object.keys(cell)
              .filter((key) => key !== "id")
              .sort(),
          ).toEqual(
            cell.cell_type === "code"
              ? ["cell_type", "execution_count", "metadata", "outputs", "source"]
              : ["cell_type", "metadata", "source"],
          );
      }),
      { numRuns: 40, seed: 9 },
    );
  });
});

test("what is not changed stays as it was written: numbers, indentation, the last line's end", async () => {
  const odd = notebook()
    .replace('"tags": [', '"big": 12345678901234567890, "float": 1.0, "tags": [')
    .replaceAll(/^ +/gm, (blanks) => "\t".repeat(blanks.length))
    .trimEnd();
  const bench = await opened(odd);
  await bench.text("NotebookEdit", {
    notebook_path: bench.path("a.ipynb"),
    cell_id: "intro",
    new_source: "t",
  });
  const after = readFileSync(bench.path("a.ipynb"), "utf8");
  expect(after).toContain('\t\t\t\t"big": 12345678901234567890,\n\t\t\t\t"float": 1.0,\n');
  expect(after.endsWith("}")).toBe(true);
});

test("a format without ids gets none, and its cells go by their numbers; a newer one gets those it lacks", async () => {
  const bare = CELLS.map(({ id: _, ...cell }) => cell);
  const old = await opened(notebook(bare, 2));
  await old.text("NotebookEdit", { notebook_path: old.path("a.ipynb"), cell_id: "cell-2", new_source: "9" });
  expect(cellsIn(old).map(({ id }) => id)).toEqual([undefined, undefined]);
  expect(cellsIn(old)[1]).toMatchObject({ source: "9" });
  const lacking = await opened(notebook(bare, 5));
  await lacking.text("NotebookEdit", {
    notebook_path: lacking.path("a.ipynb"),
    cell_id: "cell-1",
    new_source: "9",
  });
  expect(new Set(cellsIn(lacking).map(({ id }) => typeof id))).toEqual(new Set(["string"]));
});

describe("the ledger and bad input", () => {
  test("it has to be read first, as it is now (A9.1, A9.2)", async () => {
    const bench = workbench({ "a.ipynb": notebook() });
    const input = { notebook_path: bench.path("a.ipynb"), cell_id: "sum", new_source: "x" };
    expect(await bench.failure("NotebookEdit", input)).toContain("has not been read");
    await bench.call("Read", { file_path: bench.path("a.ipynb") });
    writeFileSync(bench.path("a.ipynb"), notebook(CELLS.slice(1)));
    expect(await bench.failure("NotebookEdit", input)).toContain("was changed since");
    expect(cellsIn(bench)).toEqual(CELLS.slice(1));
  });

  test("another path, another file, another format", async () => {
    const bench = workbench({
      "a.txt": "x",
      "bad.ipynb": "{",
      "old.ipynb": '{"worksheets": [], "nbformat": 3}',
    });
    const input = { new_source: "x", cell_id: "y" };
    const failure = (notebook_path: string) => bench.failure("NotebookEdit", { ...input, notebook_path });
    expect(await failure("a.ipynb")).toContain("must be absolute");
    expect(await failure(bench.path("a.txt"))).toContain("is not a notebook");
    expect(await failure(bench.path("none.ipynb"))).toContain("does not exist");
    expect(await failure(bench.path("bad.ipynb"))).toContain("has not been read");
    expect(await bench.failure("Read", { file_path: bench.path("bad.ipynb") })).toContain(
      "is not valid JSON",
    );
    expect(await bench.failure("Read", { file_path: bench.path("old.ipynb") })).toContain("old format");
  });

  test("no cell named, although one is needed", async () => {
    const bench = await opened();
    const notebook_path = bench.path("a.ipynb");
    for (const edit_mode of ["replace", "delete"])
      expect(await bench.failure("NotebookEdit", { notebook_path, edit_mode, new_source: "x" })).toContain(
        'Its cells are "intro", "sum".',
      );
  });
});
