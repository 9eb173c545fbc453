import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePlainFields } from "../../../src/context/markdown/fields.ts";
import { readFrontMatter } from "../../../src/context/markdown/read-markdown.ts";
import { parseYamlFields } from "../../../src/context/markdown/yaml-fields.ts";

async function read(text: string) {
  const found = await readFrontMatter(text);
  if (found.type !== "read") return found;
  const values = Object.fromEntries([...found.fields].map(([key, { value }]) => [key, value]));
  return { ...found, values };
}

describe("front matter as people write it", () => {
  test.each([
    ["plain", "name: a\nmodel: opus", { name: "a", model: "opus" }],
    ["quoted", `name: "a: b"\nother: 'c # d'`, { name: "a: b", other: "c # d" }],
    [
      "numbers and words",
      "n: 5\nyes: true\nno: False\nnone:\nnull2: ~",
      { n: 5, yes: true, no: false, none: null, null2: null },
    ],
    ["a list below its key", "tools:\n  - Read\n  - Grep\nmodel: x", { tools: ["Read", "Grep"], model: "x" }],
    ["a list without indent", "tools:\n- Read\n- mcp__a__b", { tools: ["Read", "mcp__a__b"] }],
    ["a list in brackets", "tools: [Read, 'Grep']", { tools: ["Read", "Grep"] }],
    [
      "comments and empty lines",
      "# hello\n\nname: a # short\n\n  # more\nmodel: b",
      { name: "a", model: "b" },
    ],
    ["a folded sentence", "description: >\n  one\n  two\nname: a", { description: "one two\n", name: "a" }],
    [
      "a block of lines",
      "description: |-\n  one: 1\n  two\nname: a",
      { description: "one: 1\ntwo", name: "a" },
    ],
    ["a sentence over two lines", "description: one\n  two\nname: a", { description: "one two", name: "a" }],
    ["keys within keys", "hooks:\n  Stop:\n    - command: x", { hooks: { Stop: [{ command: "x" }] } }],
    [
      "other alphabets",
      "name: 审查\ndescription: prüft 🚀 alles",
      { name: "审查", description: "prüft 🚀 alles" },
    ],
    ["escapes", 'description: "a\\nb"', { description: "a\nb" }],
    ["anchors", "a: &x [1]\nb: *x", { a: [1], b: [1] }],
    ["nothing", "", {}],
  ])("%s", async (_, header, values) => {
    const found = await read(`---\n${header}\n---\nBody.\n`);
    expect(found).toMatchObject({ type: "read", values, problems: [], body: "Body.\n" });
  });

  test.each([
    ["a byte order mark", "\uFEFF---\nname: a\n---\nB", "B"],
    ["line ends of Windows", "---\r\nname: a\r\n---\r\nB\r\nC", "B\r\nC"],
    ["line ends of old Macs", "---\rname: a\r---\rB", "B"],
    ["empty lines before it", "\n\n---\nname: a\n---\nB", "B"],
    ["spaces after its lines", "---  \nname: a\n---\t\nB", "B"],
    ["dots at its end", "---\nname: a\n...\nB", "B"],
    ["rules in the body", "---\nname: a\n---\nB\n---\nC", "B\n---\nC"],
    ["no body", "---\nname: a\n---", ""],
  ])("%s does not matter", async (_, text, body) => {
    expect(await read(text)).toMatchObject({ type: "read", values: { name: "a" }, body });
  });

  test("none, and one that does not end", async () => {
    for (const text of ["", "# Title\n---\nname: a\n---\n", "name: a", "----\nname: a\n---"])
      expect(await read(text)).toEqual({ type: "none" });
    expect(await read("\n---\nname: a\nBody")).toMatchObject({ type: "broken", problem: { line: 2 } });
    const long = `---\nname: ${"x".repeat(70_000)}\n---\n`;
    expect(await read(long)).toMatchObject({ type: "broken", problem: { line: 2 } });
  });

  test("lines are those of the file", async () => {
    const found = await read("\n---\nname: a\n\ntools:\n  - x\nmodel: {a: 1}\n---\n\nBody");
    expect(found).toMatchObject({ bodyLine: 9 });
    if (found.type !== "read") throw new Error("not read");
    expect([...found.fields].map(([key, { line }]) => [key, line])).toEqual([
      ["name", 3],
      ["tools", 5],
      ["model", 7],
    ]);
  });
});

describe("what is not YAML costs no more than its key", () => {
  test.each([
    [
      "colons in a sentence",
      "description: Use this when: you review. Examples: <example>user: 'x'</example>\nmodel: opus",
      { description: "Use this when: you review. Examples: <example>user: 'x'</example>", model: "opus" },
    ],
    [
      "quotes within quotes",
      `description: "Use "this" one"\nname: a`,
      { description: 'Use "this" one', name: "a" },
    ],
    [
      "a sentence that goes on at the margin",
      "description: Use this: now\n<example>\nContext is this: x\n</example>\nmodel: opus",
      { description: "Use this: now\n<example>\nContext is this: x\n</example>", model: "opus" },
    ],
    [
      "a word with a sign",
      "name: a\ndescription: @all `code` and more\nmodel: b",
      { name: "a", description: "@all `code` and more", model: "b" },
    ],
    [
      "a tab",
      "name:\ta\ndescription: x: y\ntools:\tRead, Grep",
      { name: "a", description: "x: y", tools: "Read, Grep" },
    ],
    ["a star alone", "tools: *\nname: a", { tools: "*", name: "a" }],
    [
      "words in bold",
      "description: **BOLD ONE**: and more\nname: a",
      { description: "**BOLD ONE**: and more" },
    ],
    ["words in brackets", "description: [Draft] this: that", { description: "[Draft] this: that" }],
    ["placeholders", "description: {{team}} asks: why", { description: "{{team}} asks: why" }],
    ["several hints", "argument-hint: [what] [where]", { "argument-hint": "[what] [where]" }],
    [
      "a text that is to be folded and begins too early",
      "description: > Use this: now\nname: a",
      { description: "Use this: now", name: "a" },
    ],
    [
      "who says what in an example",
      'description: Do. For example: <example>\nuser: "Go"\nassistant: "I go: now"\n</example>\\n<example>\nuser: "Again"\nname: x\n</example>\nname: a',
      {
        description:
          'Do. For example: <example>\nuser: "Go"\nassistant: "I go: now"\n</example>\\n<example>\nuser: "Again"\nname: x\n</example>',
        name: "a",
      },
    ],
    [
      "an example without an end",
      "description: Do: <example> this\nmodel: opus",
      { description: "Do: <example> this", model: "opus" },
    ],
    ["a percent sign", "description: %done: yes", { description: "%done: yes" }],
  ])("%s", async (_, header, values) => {
    expect(await read(`---\n${header}\n---\n`)).toMatchObject({ type: "read", values, problems: [] });
  });

  test("names a broken structure by its line, and reads the others", async () => {
    const found = await read("---\nname: a\ndescription: x: y\nhooks: {Stop: [\nmodel: opus\n---\nBody");
    expect(found).toMatchObject({ values: { name: "a", description: "x: y", model: "opus" }, body: "Body" });
    expect(found).toMatchObject({
      problems: [
        { message: expect.stringMatching(/^This is not YAML: .*\. hooks does not count; if it is meant/) },
      ],
    });
    expect("problems" in found ? found.problems[0]?.line : null).toBeGreaterThanOrEqual(4);
  });

  test("counts a repeated key once", async () => {
    expect(await read("---\nname: a\nmodel: x\nname: b\n---\n")).toMatchObject({
      values: { name: "a", model: "x" },
      problems: [{ line: 4, message: "name appears a second time; the first one counts." }],
    });
  });

  test.each([
    ["a list", "- a\n- b", 2],
    ["a sentence", "just words", 2],
    ["only a bracket", "}", 2],
  ])("%s is no front matter", async (_, header, line) => {
    expect(await read(`---\n${header}\n---\n`)).toMatchObject({ values: {}, problems: [{ line }] });
  });

  test("survives alias bombs, endless depth and other powers of YAML", async () => {
    const laughs = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
    for (const [before, name] of ["ab", "bc", "cd", "de", "ef", "fg", "gh"].map((pair) => [...pair]))
      laughs.push(`${name}: &${name} [${Array(10).fill(`*${before}`)}]`);
    const found = await read(`---\n${laughs.join("\n")}\n---\nBody`);
    expect(found).toMatchObject({ type: "read", body: "Body" });
    const deep = await read(`---\nname: a\nx: ${"[".repeat(20_000)}\n---\n`);
    expect(deep).toMatchObject({ type: "read" });
    const proto = await read("---\n__proto__: {polluted: 1}\nconstructor: x\n---\n");
    expect(proto).toMatchObject({ type: "read" });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const tagged = await read("---\nname: !!js/function 'x'\nbin: !!binary aGk=\n---\n");
    expect(tagged).toMatchObject({ type: "read" });
  });
});

describe("rules", () => {
  const scalars = fc.oneof(
    fc.string(),
    fc.string({ unit: "grapheme" }),
    fc.stringMatching(/^[\w ,.:#'"()[\]{}<>|&*!%@`~+-]{0,30}$/),
    fc.constantFrom(
      "true",
      "False",
      "null",
      "~",
      "0",
      "07",
      "1e3",
      "0x1F",
      ".5",
      "-1",
      "yes",
      "2024-01-01",
      "<<",
      "=",
      "?",
      "-",
    ),
  );
  const headers = fc
    .array(
      fc.oneof(
        fc
          .tuple(fc.stringMatching(/^[A-Za-z_][\w-]{0,8}$/), scalars)
          .map(([key, value]) => `${key}: ${value}`),
        scalars.map((value) => `  - ${value}`),
        scalars.map((value) => `- ${value}`),
        fc.stringMatching(/^[A-Za-z_][\w-]{0,8}:$/),
        scalars,
      ),
      { maxLength: 8 },
    )
    .map((lines) => lines.join("\n"));

  test("where the plain reader answers, YAML's own says the same", () => {
    fc.assert(
      fc.property(headers, (header) => {
        const flat = parsePlainFields(header, 1);
        if (flat === null || flat.size === 0) return;
        const { fields, problems } = parseYamlFields(header, 1);
        expect([...flat]).toEqual([...fields]);
        expect(problems).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("no text is too odd to be read", async () => {
    await fc.assert(
      fc.asyncProperty(headers, fc.string(), async (header, body) => {
        const found = await readFrontMatter(`---\n${header}\n---\n${body}`);
        expect(["read", "none", "broken"]).toContain(found.type);
      }),
      { numRuns: 500 },
    );
  });
});
