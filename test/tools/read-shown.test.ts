// @module-tag long
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import type { CallResult } from "../../src/mailbox/messages.ts";
import { MAX_IMAGE_BASE64, MAX_IMAGE_EDGE, SCALED_EDGE } from "../../src/tools/images.ts";
import { MAX_PDF_PAGES, PDF_PAGES_UNASKED } from "../../src/tools/pdf-pages.ts";
import { pdf } from "../support/pdf.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { workbenches } from "./workbench.ts";

const workbench = workbenches();

function plain(width: number, height: number, background = "red") {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** The images of a result, decoded, and its texts. */
async function shown({ content, isError }: CallResult) {
  if (isError || typeof content === "string") throw new Error(JSON.stringify(content));
  const images: { type: string; bytes: Buffer; width: number; height: number }[] = [];
  const texts: string[] = [];
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
    if (block.type !== "image" || block.source.type !== "base64") continue;
    const bytes = Buffer.from(block.source.data, "base64");
    const { width, height } = await sharp(bytes).metadata();
    images.push({ type: block.source.media_type, bytes, width, height });
  }
  return { images, text: texts.join("\n"), texts };
}

describe("images (A8.3)", () => {
  test.each(["png", "jpeg", "gif", "webp"] as const)(
    "%s is an image block, byte for byte",
    async (format) => {
      const bytes = await plain(30, 20).toFormat(format).toBuffer();
      // Known by what it is, not by its name.
      const bench = workbench({ "picture.dat": bytes });
      const { images, texts } = await shown(
        await bench.call("Read", { file_path: bench.path("picture.dat") }),
      );
      expect(images).toEqual([{ type: `image/${format}`, bytes, width: 30, height: 20 }]);
      expect(texts).toEqual([]);
      const digest = createHash("sha256").update(bytes).digest("hex");
      expect(bench.reads.get(bench.path("picture.dat"))).toMatchObject({ digest, wholeDigest: digest });
    },
  );

  test("up to the limit as it is, beyond it as large as models look at, and said", {
    tags: ["long"],
  }, async () => {
    const bench = workbench({
      fits: await plain(MAX_IMAGE_EDGE, 10).png().toBuffer(),
      wide: await plain(MAX_IMAGE_EDGE + 1, 1_000)
        .png()
        .toBuffer(),
      photo: await plain(9_000, 3_000).jpeg().toBuffer(),
    });
    const read = async (name: string) => shown(await bench.call("Read", { file_path: bench.path(name) }));
    expect((await read("fits")).images[0]).toMatchObject({ width: MAX_IMAGE_EDGE });
    const wide = await read("wide");
    expect(wide.images[0]).toMatchObject({ type: "image/png", width: SCALED_EDGE });
    expect(wide.text).toBe(`[Scaled down from 2001 x 1000 to ${SCALED_EDGE} x 784 pixels.]`);
    expect((await read("photo")).images[0]).toMatchObject({ type: "image/jpeg", width: SCALED_EDGE });
  });

  test("one of too many bytes becomes small enough", async () => {
    const noise = Buffer.alloc(1_300 * 1_300 * 3);
    let state = 7;
    for (let at = 0; at < noise.length; at += 1) {
      state = (state * 16_807) % 2_147_483_647;
      noise[at] = state & 255;
    }
    const raw = { width: 1_300, height: 1_300, channels: 3 } as const;
    const bytes = await sharp(noise, { raw }).png({ compressionLevel: 0 }).toBuffer();
    expect(bytes.length).toBeGreaterThan((MAX_IMAGE_BASE64 / 4) * 3);
    const bench = workbench({ "noise.png": bytes });
    const { images } = await shown(await bench.call("Read", { file_path: bench.path("noise.png") }));
    expect(images[0]?.bytes.toString("base64").length).toBeLessThanOrEqual(MAX_IMAGE_BASE64);
  });

  test("does not send a damaged one, which the API would reject in every request", async () => {
    const bytes = await plain(300, 300).png().toBuffer();
    const bench = workbench({
      "cut.png": bytes.subarray(0, bytes.length / 2),
      "no.png": bytes.subarray(0, 20),
    });
    for (const name of ["cut.png", "no.png"])
      expect(await bench.failure("Read", { file_path: bench.path(name) })).toContain(
        "cannot be shown (damaged",
      );
    expect(bench.reads.takeFresh()).toEqual([]);
  });

  test("a text with an image's name is a text", async () => {
    const bench = workbench({ "pointer.png": "version https://git-lfs.github.com/spec/v1\n" });
    expect(await bench.text("Read", { file_path: bench.path("pointer.png") })).toContain("git-lfs");
  });
});

describe("documents (A4.13, A8.3)", () => {
  test("a short one is shown whole: of each page its text and how it looks", async () => {
    const bench = workbench({ "paper.pdf": pdf(2) });
    const { images, texts } = await shown(await bench.call("Read", { file_path: bench.path("paper.pdf") }));
    expect(texts).toEqual(["[Page 1 of 2]\nThis is page 1", "[Page 2 of 2]\nThis is page 2"]);
    expect(images.map(({ width, height }) => [width, height])).toEqual([
      [SCALED_EDGE / 2, SCALED_EDGE],
      [SCALED_EDGE / 2, SCALED_EDGE],
    ]);
    const { data } = await sharp(images[0]?.bytes).raw().toBuffer({ resolveWithObject: true });
    const [red = 0, green = 0, blue = 0] = data;
    expect(red).toBeGreaterThan(240);
    expect(Math.max(green, blue)).toBeLessThan(15);
    expect(bench.reads.get(bench.path("paper.pdf"))).toBeDefined();
  });

  test("pages takes a part; a long one needs it, and no call takes more than its limit", {
    tags: ["long"],
  }, async () => {
    expect([MAX_PDF_PAGES, PDF_PAGES_UNASKED]).toEqual([20, 10]);
    const bench = workbench({ "long.pdf": pdf(30) });
    const file_path = bench.path("long.pdf");
    const read = async (pages: string) => (await shown(await bench.call("Read", { file_path, pages }))).texts;
    expect(await bench.failure("Read", { file_path })).toContain(
      'it has 30 pages: say which in pages, such as "1-10"',
    );
    expect(await bench.failure("Read", { file_path, pages: "1-21" })).toContain("more than 20");
    expect(await read("7")).toEqual(["[Page 7 of 30]\nThis is page 7", '[Continue with pages: "8-27".]']);
    expect((await read("29-40")).map((text) => text.split("\n")[0])).toEqual([
      "[Page 29 of 30]",
      "[Page 30 of 30]",
    ]);
    for (const pages of ["0", "5-3", "-2", "all", "", "1,2"])
      expect(await bench.failure("Read", { file_path, pages })).toContain("pages");
    expect(await bench.failure("Read", { file_path, pages: "31" })).toContain("page 31 is past the end");
  });

  test("a damaged one is named", async () => {
    const bench = workbench({ "bad.pdf": "%PDF-1.7 and nothing more" });
    expect(await bench.failure("Read", { file_path: bench.path("bad.pdf") })).toMatch(
      /cannot be shown: .*format/i,
    );
  });
});

describe("notebooks (A8.3)", () => {
  const cells = async () => {
    const image = (await plain(5, 5).png().toBuffer()).toString("base64");
    return [
      { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title\n", "words"] },
      {
        cell_type: "code",
        id: "plot",
        metadata: {},
        execution_count: 4,
        source: "plot()",
        outputs: [
          { output_type: "stream", name: "stdout", text: ["\u001b[31mred\u001b[0m\n", "done"] },
          {
            output_type: "display_data",
            data: { "image/png": image, "text/plain": "<Figure>" },
            metadata: {},
          },
          {
            output_type: "execute_result",
            data: { "text/html": "<b>", "text/plain": ["4", "2"] },
            metadata: {},
          },
          { output_type: "error", ename: "E", evalue: "v", traceback: ["line \u001b[1m1", "line 2"] },
        ],
      },
    ];
  };
  const saved = (list: unknown) =>
    JSON.stringify({ cells: list, metadata: {}, nbformat: 4, nbformat_minor: 5 });

  test("cells with their ids and kinds, outputs as text and images", async () => {
    const bench = workbench({ "a.ipynb": saved(await cells()) });
    const { images, text } = await shown(await bench.call("Read", { file_path: bench.path("a.ipynb") }));
    expect(images).toMatchObject([{ type: "image/png", width: 5 }]);
    expect(text.split("\n")).toEqual([
      '[Cell 1 of 2: id "intro", markdown]',
      "# Title",
      "words",
      '[Cell 2 of 2: id "plot", code, executed as 4]',
      "plot()",
      "[Output]",
      "red",
      "done",
      "[Output]",
      "[Output]",
      "42",
      "[Output]",
      "line 1",
      "line 2",
    ]);
  });

  test("offset and limit count cells; long outputs are cut; none is said", async () => {
    const many = Array.from({ length: 5 }, (_, n) => ({
      cell_type: "raw",
      metadata: {},
      source: `cell ${n + 1}`,
    }));
    const flood = {
      cell_type: "code",
      metadata: {},
      execution_count: null,
      source: "",
      outputs: [{ output_type: "stream", name: "stdout", text: "x".repeat(50_000) }],
    };
    const bench = workbench({
      "many.ipynb": saved(many),
      "flood.ipynb": saved([flood]),
      "none.ipynb": saved([]),
    });
    const read = async (name: string, more = {}) =>
      (await shown(await bench.call("Read", { file_path: bench.path(name), ...more }))).text;
    expect(await read("many.ipynb", { offset: 2, limit: 1 })).toBe(
      '[Cell 2 of 5: id "cell-2", raw]\ncell 2\n[Cells 2 to 2 of 5. Continue with offset: 3.]',
    );
    expect(await bench.failure("Read", { file_path: bench.path("many.ipynb"), offset: 6 })).toContain(
      "past the end",
    );
    const flooded = await read("flood.ipynb");
    expect(flooded.length).toBeLessThan(11_000);
    expect(flooded).toContain("[cut: 40000 more characters]");
    expect(await read("none.ipynb")).toContain("a notebook without cells");
  });

  test("an invalid image is reported, and the rest is shown", async () => {
    const [intro, plot] = await cells();
    const bad = JSON.parse(JSON.stringify([intro, plot]).replace(/iVBOR[^"]+/, (data) => data.slice(0, 60)));
    const bench = workbench({ "a.ipynb": saved(bad) });
    const { images, text } = await shown(await bench.call("Read", { file_path: bench.path("a.ipynb") }));
    expect(images).toEqual([]);
    expect(text).toContain("[An image, not shown: it is damaged.]\n[Output]\n42");
  });
});

test("without the packages a call says so, and the prompt promises nothing (A4.13)", async () => {
  const folder = temporaryFolder();
  const bench = workbench({ "a.png": await plain(5, 5).png().toBuffer(), "a.pdf": pdf(1) });
  const tools = (name: string) => JSON.stringify(new URL(`../../src/tools/${name}`, import.meta.url));
  const program = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        if (/sharp|pdfium/.test(specifier)) throw new Error("not installed");
        return next(specifier, context);
      },
    });
    const { readTool, readPrompt, hasImages, hasDocuments } = await import(${tools("read.ts")});
    const { ReadLedger } = await import(${tools("read-ledger.ts")});
    const context = { cwd: "/", reads: new ReadLedger(), signal: new AbortController().signal };
    const told = [];
    for (const file_path of process.argv.slice(1)) told.push((await readTool.call({ file_path }, context)).message);
    told.push(JSON.stringify(readTool.description), hasImages(), hasDocuments());
    console.log(JSON.stringify(told));`;
  const args = ["--input-type=module", "-e", program, bench.path("a.png"), bench.path("a.pdf")];
  const output = execFileSync(process.execPath, args, { encoding: "utf8", cwd: folder });
  const [image, document, prompt, pictures, documents] = JSON.parse(output);
  expect(image).toContain("the package that shows images (sharp) is not installed");
  expect(document).toContain("(@hyzyla/pdfium) is not installed");
  expect([pictures, documents]).toEqual([false, false]);
  expect(prompt).not.toMatch(/PDF|PNG/);
});
