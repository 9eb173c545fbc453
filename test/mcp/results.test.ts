import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundResult, MAX_IMAGE_CHARS, readContent } from "../../src/mcp/broker/result-content.ts";
import { MessageLines } from "../../src/mcp/broker/stdio-transport.ts";
import { temporaryFolder } from "../support/temporary.ts";

const CHARS = 100_000;
const shown = (raw: Parameters<typeof readContent>[0]) => boundResult(readContent(raw), CHARS, null);
const text = (words: string) => ({ type: "text", text: words });

describe("a result", () => {
  test.each<[string, unknown[], unknown, string]>([
    ["the text is its JSON", [text('{"a": 1}')], { a: 1 }, '{"a": 1}'],
    ["the text is the only thing in it", [text("done")], { result: "done" }, "done"],
    ["it says more", [text("done")], { result: "done", more: 1 }, '{\n  "result": "done",\n  "more": 1\n}'],
    ["the text is its JSON in another order", [text('{"b":2,"a":1}')], { a: 1, b: 2 }, '{"b":2,"a":1}'],
    ["a text for each item", [text("north"), text("south")], { result: ["north", "south"] }, "north\nsouth"],
    [
      "the text is for people",
      [text("Weather in Oslo: 3 °C (temperature), light rain.")],
      { weather: { city: "Oslo", temperature: 3, sky: "Light rain" } },
      'Weather in Oslo: 3 °C (temperature), light rain.\n{\n  "weather": {\n    "city": "Oslo",\n    "temperature": 3,\n    "sky": "Light rain"\n  }\n}',
    ],
    [
      "the text is for people, and data adds to it",
      [text("A long report about the parser.")],
      { agents: [{ report: "A long report about the parser.", tokens: 4711 }] },
      'A long report about the parser.\n{\n  "agents": [\n    {\n      "report": "(as above)",\n      "tokens": 4711\n    }\n  ]\n}',
    ],
    [
      "a short value that is in the text by chance",
      [text("Page 1 of the results")],
      { next: 1 },
      'Page 1 of the results\n{\n  "next": 1\n}',
    ],
    ["there is nothing else", [], { a: 1 }, '{\n  "a": 1\n}'],
    ["there is nothing at all", [], undefined, "(The server answered with nothing.)"],
  ])("structured content: %s", (_, content, structuredContent, expected) => {
    expect(shown({ content, structuredContent })).toBe(expected);
  });

  test("many texts and many equal values are compared in a moment", () => {
    const content = Array.from({ length: 10_000 }, (_, at) => text("9".repeat(40) + at));
    const structuredContent = Array.from({ length: 50_000 }, () => `${"9".repeat(40)}9999`);
    const from = performance.now();
    readContent({ content, structuredContent });
    expect(performance.now() - from).toBeLessThan(2_000);
  });

  test.each<[string, unknown, string]>([
    [
      "too large",
      { type: "image", data: "A".repeat(MAX_IMAGE_CHARS + 4), mimeType: "image/png" },
      "more than 5 MB",
    ],
    [
      "of another kind",
      { type: "image", data: "AAAA", mimeType: "image/tiff" },
      "only png, jpeg, gif and webp",
    ],
    ["no base64", { type: "image", data: "not base64!", mimeType: "image/png" }, "not valid MCP content"],
    ["sound", { type: "audio", data: "AAAA", mimeType: "audio/wav" }, "Audio (audio/wav"],
    [
      "binary",
      { type: "resource", resource: { uri: "a:b", blob: "AAAA" } },
      "a:b (binary, 1 KB) is left out",
    ],
    ["unknown", { type: "hologram" }, "not valid MCP content"],
    ["nothing", null, "not valid MCP content"],
  ])("names a part that cannot be shown: %s", (_, part, words) => {
    expect(shown({ content: [part] })).toContain(words);
  });

  test("names images that are too large together", () => {
    const picture = { type: "image", data: "A".repeat(4 * 1024 * 1024), mimeType: "image/png" };
    const blocks = shown({ content: [picture, picture, picture] });
    expect(typeof blocks === "string" ? [] : blocks.map(({ type }) => type)).toEqual([
      "image",
      "image",
      "text",
    ]);
  });

  test("the shown part of any text is bounded, and names the number of characters left out", {
    tags: ["long"],
  }, () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 0, maxLength: 3_000, unit: "binary" }),
        fc.integer({ min: 10, max: 500 }),
        (words, max) => {
          const all = readContent({ content: [text(words)] });
          const result = boundResult(all, max, null);
          expect(String(result).isWellFormed()).toBe(true);
          expect(result.length).toBeLessThan(max + 250);
        },
      ),
      { seed: 3 },
    );
  });

  test("a file that is there already is not written over", () => {
    const file = temporaryFolder();
    expect(boundResult(readContent({ content: [text("x".repeat(500))] }), 100, file)).toContain(
      "could not be kept",
    );
  });
});

describe("fault 58: a server's output is taken apart into messages", () => {
  const message = { jsonrpc: "2.0" as const, method: "hello", params: { text: "ü\u2028✓" } };

  test("however it is cut into pieces", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("message", "garbage", "", "\r"), { maxLength: 8 }),
        fc.nat({ max: 40 }),
        (lines, size) => {
          const bytes = Buffer.from(
            lines.map((line) => `${line === "message" ? JSON.stringify(message) : line}\n`).join(""),
          );
          const reader = new MessageLines(1_000);
          const heard = [];
          for (let at = 0; at < bytes.length; at += size + 1)
            heard.push(...reader.read(bytes.subarray(at, at + size + 1)).messages);
          expect(heard).toEqual(lines.filter((line) => line === "message").map(() => message));
        },
      ),
      { seed: 5 },
    );
  });

  test("a line that never ends is refused as soon as it is too long", () => {
    const reader = new MessageLines(100);
    expect(reader.read(Buffer.alloc(100, "x")).fault).toBeNull();
    expect(reader.read(Buffer.alloc(1, "x")).fault).toBe("sent a message of more than 100 bytes");
  });
});
