import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { diffFile, MAX_DIFF_BYTES } from "../../src/tools/file-diff.ts";
import { agentTools } from "../../src/tools/index.ts";
import { workbenches } from "./workbench.ts";

const workbench = workbenches();
const lines = (count: number, name = "line") =>
  Array.from({ length: count }, (_, at) => `${name} ${at + 1}\n`).join("");
const diffOf = async (before: string | null, after: string) => await diffFile("/f", { before, after });

describe("the change of a file (issue 21, 3)", () => {
  const cases: readonly (readonly [string, string | null, string, readonly string[], string])[] = [
    ["a new file", null, "a\nb\n", ["+a", "+b"], "+2 -0"],
    ["an empty new file", null, "", [], "+0 -0"],
    ["a change at the start", "a\nb\nc\nd\ne\n", "X\nb\nc\nd\ne\n", ["-a", "+X", " b", " c", " d"], "+1 -1"],
    ["a change at the end", "a\nb\nc\nd\ne\n", "a\nb\nc\nd\nX\n", [" b", " c", " d", "-e", "+X"], "+1 -1"],
    ["an insertion", "a\nb\n", "a\nnew\nb\n", [" a", "+new", " b"], "+1 -0"],
    ["one more equal line", "a\na\n", "a\na\na\n", [" a", " a", "+a"], "+1 -0"],
    ["a removal of everything", "a\n", "", ["-a"], "+0 -1"],
    ["a line feed at the end", "a\nb", "a\nb\n", [" a", "-b", "\\ No newline at end of file", "+b"], "+1 -1"],
    ["CRLF line ends", "a\r\nb\r\n", "a\r\nX\r\n", [" a\r", "-b\r", "+X\r"], "+1 -1"],
    ["nothing", "a\n", "a\n", [], "+0 -0"],
    ["bytes that are not text", "a\0b", "a", [], "+0 -0"],
  ];
  test.each(cases)("is line by line that of %s", async (_, before, after, shown, sums) => {
    const diff = await diffOf(before, after);
    expect(diff?.hunks.flatMap((hunk) => hunk.lines)).toEqual(shown);
    expect(`+${diff?.added} -${diff?.removed}`).toBe(sums);
    expect(diff).toMatchObject({ isNew: before === null, isBinary: before?.includes("\0") ?? false });
  });

  test("has the line numbers of both files", async () => {
    const before = lines(10_000);
    const diff = await diffOf(before, before.replace("line 9000\n", "").replace("line 5000\n", "x\ny\n"));
    expect(diff?.hunks).toMatchObject([
      { oldStart: 4997, oldLines: 7, newStart: 4997, newLines: 8 },
      { oldStart: 8997, oldLines: 7, newStart: 8998, newLines: 6 },
    ]);
  });

  test("is bounded, counts the rest, and shows the start of both texts if all is new", async () => {
    const diff = await diffOf(lines(10_000), lines(10_000, "other"));
    expect(diff).toMatchObject({ added: 10_000, removed: 10_000, omitted: 19_600 });
    const shown = diff?.hunks.flatMap((hunk) => hunk.lines) ?? [];
    expect(shown).toHaveLength(400);
    expect(shown).toEqual(expect.arrayContaining(["-line 1", "+other 1"]));
    expect(await diffOf(null, lines(1_000))).toMatchObject({ added: 1_000, omitted: 600 });
  });

  test("is the same however slow the machine is, and gives up by the number of changes", async () => {
    let now = 0;
    vi.spyOn(Date, "now").mockImplementation(() => (now += 60_000));
    onTestFinished(() => void vi.restoreAllMocks());
    const everyOther = (of: string) => of.replace(/^line (\d*[02468])$/gm, "new $1");
    const [short, long] = [lines(600), lines(4_000)];
    expect(await diffOf(short, everyOther(short))).toMatchObject({ added: 300, removed: 300 });
    expect(await diffOf(long, everyOther(long))).toMatchObject({ added: 4_000, removed: 4_000 });
  });

  test("shows of a line of minified code the part that changes", async () => {
    const [start, end] = ["x".repeat(50_000), "y".repeat(50_000)];
    const diff = await diffOf(`${start}OLD${end}\n`, `${start}NEW${end}\n`);
    const [removed = "", added = ""] = diff?.hunks[0]?.lines ?? [];
    expect(removed).toMatch(/^-…x{80}OLDy{317}…$/);
    expect(added).toMatch(/^\+…x{80}NEWy{317}…$/);
  });

  test("leads from the one text to the other, whatever they are", async () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "", "ä", "x\r"), { maxLength: 30 })
      .map((all) => all.join("\n"));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const { hunks = [] } = (await diffOf(before, after)) ?? {};
        const [old, fresh] = [before.split("\n"), after.split("\n")];
        let [at, other] = [0, 0];
        for (const { oldStart, newStart, lines: of } of hunks) {
          expect(old.slice(at, oldStart - 1)).toEqual(fresh.slice(other, newStart - 1));
          [at, other] = [oldStart - 1, newStart - 1];
          for (const line of of) {
            if (line[0] === " " || line[0] === "-") expect(line.slice(1)).toBe(old[at++]);
            if (line[0] === " " || line[0] === "+") expect(line.slice(1)).toBe(fresh[other++]);
          }
        }
        const isLast = (line: string | undefined) => line === "" || line === undefined;
        const rest = old.slice(at).filter((line, n, all) => n < all.length - 1 || !isLast(line));
        const freshRest = fresh.slice(other).filter((line, n, all) => n < all.length - 1 || !isLast(line));
        expect(rest).toEqual(freshRest);
      }),
    );
  });
});

describe("what a call shows of its change", () => {
  const notebook = JSON.stringify(
    {
      ...{
        cells: [{ cell_type: "code", id: "c", metadata: {}, source: ["old"], outputs: [] }],
        metadata: {},
      },
      ...{ nbformat: 4, nbformat_minor: 5 },
    },
    null,
    1,
  );
  const edits: readonly (readonly [string, string, string, object])[] = [
    ["Edit", "a", "one\ntwo\n", { old_string: "two", new_string: "2" }],
    ["Write", "a", "one\ntwo\n", { content: "one\n2\n" }],
    ["Write", "a", "one\r\ntwo\r\n", { content: "one\n2\n" }],
    ["NotebookEdit", "a.ipynb", notebook, { cell_id: "c", new_source: "new" }],
  ];
  test.each(edits)("before it is made is the change that %s makes of %s", async (name, file, text, input) => {
    const bench = workbench({ [file]: text });
    const path = bench.path(file);
    const given = { [name === "NotebookEdit" ? "notebook_path" : "file_path"]: path, ...input };
    const tool = agentTools.find((one) => one.name === name);
    const ready = tool?.prepare(given);
    const preview = ready?.type === "ready" ? await ready.preview?.(bench.root) : null;
    await bench.call("Read", { file_path: path });
    const made = await bench.call(name, given);
    expect(made.isError).toBe(false);
    expect(preview?.diff).toEqual(await diffFile(path, { before: text, after: readFileSync(path, "utf8") }));
    expect(preview?.diff?.added).toBeGreaterThan(0);
    expect(made).toMatchObject({ response: { diff: preview?.diff } });
  });

  test("is nothing if the edit would fail, and of files that are too large or no files", async () => {
    const bench = workbench({ a: "one\n", large: "" });
    truncateSync(bench.path("large"), MAX_DIFF_BYTES + 1);
    writeFileSync(bench.path("b"), "x");
    const shown = async (name: string, input: object) => {
      const ready = agentTools.find((one) => one.name === name)?.prepare(input);
      return ready?.type === "ready" ? await ready.preview?.(bench.root) : null;
    };
    expect(await shown("Edit", { file_path: bench.path("a"), old_string: "none", new_string: "" })).toEqual(
      {},
    );
    for (const path of [bench.path("large"), bench.root, "/dev/zero"])
      expect(await shown("Write", { file_path: path, content: "" })).toEqual({});
  });
});
