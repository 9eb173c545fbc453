import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import type { PermissionLevel } from "../../src/policy/user-requests.ts";
import { bindTool } from "../../src/tools/bind-tool.ts";
import { editPrompt } from "../../src/tools/edit.ts";
import { globPrompt } from "../../src/tools/glob.ts";
import { grepPrompt } from "../../src/tools/grep/grep.ts";
import { DEFAULT_HEAD_LIMIT } from "../../src/tools/grep/grep-arguments.ts";
import { agentTools } from "../../src/tools/index.ts";
import { notebookEditPrompt } from "../../src/tools/notebook-edit.ts";
import { MAX_PDF_PAGES, PDF_PAGES_UNASKED } from "../../src/tools/pdf-pages.ts";
import { DEFAULT_LINES, readPrompt } from "../../src/tools/read.ts";
import { failed, renderPrompt, type Tool } from "../../src/tools/tool.ts";
import { writePrompt } from "../../src/tools/write.ts";
import { definitionOf } from "../support/definition-of.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { toolNamed, workbenches } from "./workbench.ts";

const workbench = workbenches();

const string = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const boolean = { type: "boolean" };

/** The seed's schemas without their descriptions. */
const SEED: Readonly<Record<string, { properties: Record<string, unknown>; required: string[] }>> = {
  Read: {
    properties: { file_path: string, offset: integer, limit: integer, pages: string },
    required: ["file_path"],
  },
  Write: { properties: { file_path: string, content: string }, required: ["file_path", "content"] },
  Edit: {
    properties: { file_path: string, old_string: string, new_string: string, replace_all: boolean },
    required: ["file_path", "old_string", "new_string"],
  },
  NotebookEdit: {
    properties: {
      notebook_path: string,
      cell_id: string,
      new_source: string,
      cell_type: { type: "string", enum: ["code", "markdown"] },
      edit_mode: { type: "string", enum: ["replace", "insert", "delete"] },
    },
    required: ["notebook_path", "new_source"],
  },
  Glob: { properties: { pattern: string, path: string }, required: ["pattern"] },
  Grep: {
    properties: {
      pattern: string,
      path: string,
      glob: string,
      output_mode: { type: "string", enum: ["content", "files_with_matches", "count"] },
      "-B": number,
      "-A": number,
      "-C": number,
      context: number,
      "-n": boolean,
      "-i": boolean,
      "-o": boolean,
      type: string,
      head_limit: number,
      offset: number,
      multiline: boolean,
    },
    required: ["pattern"],
  },
};

describe.each(Object.entries(SEED))("the schema of %s (A3.1 to A3.5, A3.25)", (name, seed) => {
  const { input_schema } = definitionOf(toolNamed(name));

  test("is the seed's: names, types, required, enums, bounds", () => {
    expect(withoutDescriptions(input_schema)).toEqual({ type: "object", ...seed });
  });

  test("describes every property", () => {
    const properties = z.record(z.string(), z.object({ description: z.string() }));
    for (const { description } of Object.values(properties.parse(input_schema["properties"])))
      expect(description.length).toBeGreaterThan(10);
  });

  test("rejects a missing, a wrong and an unlisted value before anything runs", () => {
    expect(toolNamed(name).prepare({})).toMatchObject({
      type: "invalid",
      message: expect.stringContaining(`${seed.required[0]}: required`),
    });
    for (const property of Object.keys(seed.properties)) {
      const wrong = toolNamed(name).prepare({ ...example(seed.required), [property]: { no: 1 } });
      expect(wrong).toMatchObject({ type: "invalid", message: expect.stringContaining(`- ${property}: `) });
    }
  });
});

test("a value outside its enum is named with what it may be, and a fraction is no line number", () => {
  expect(toolNamed("Grep").prepare({ pattern: "x", output_mode: "lines" })).toMatchObject({
    type: "invalid",
    message: expect.stringContaining('must be one of "content", "files_with_matches", "count"'),
  });
  expect(toolNamed("Read").prepare({ file_path: "/x", offset: 1.5 }).type).toBe("invalid");
});

describe("prompts", () => {
  test.each([
    ["Read", readPrompt("default", { images: true, documents: true })],
    ["Write", writePrompt],
    ["Edit", editPrompt],
    ["NotebookEdit", notebookEditPrompt],
    ["Glob", globPrompt],
    ["Grep", grepPrompt],
  ])("%s answers the six questions, and its description is their rendering (A4.1)", (name, prompt) => {
    expect(Object.keys(prompt).sort()).toEqual(["how", "limits", "recover", "what", "when", "whenNot"]);
    expect(toolNamed(name).description).toEqual(prompt);
    expect(definitionOf(toolNamed(name)).description).toBe(renderPrompt(prompt));
  });

  test("Read names its real default, and one piece of advice on parts, never both (A4.11, A4.12)", () => {
    expect(DEFAULT_LINES).toBe(2000);
    const none = { images: false, documents: false };
    const [whole, part] = [readPrompt("default", none), readPrompt("targeted", none)].map((prompt) =>
      renderPrompt(prompt),
    );
    for (const text of [whole, part]) expect(text).toContain(`${DEFAULT_LINES} lines`);
    expect(whole).toContain("read the whole file");
    expect(whole).not.toContain("read only that part");
    expect(part).toContain("read only that part");
    expect(part).not.toContain("read the whole file");
  });

  test("what Read cannot do is not promised, and what it does has its limits (A4.13, A8.3)", () => {
    const told = (images: boolean, documents: boolean) =>
      renderPrompt(readPrompt("default", { images, documents }));
    expect(told(false, false)).not.toMatch(/PDF|image/i);
    expect(told(true, false)).not.toContain("PDF");
    expect(told(true, false)).toContain("An image (PNG, JPG, GIF, WebP)");
    expect(told(false, true)).toContain("as pages: their text.");
    expect(told(true, true)).toContain("their text and an image of each");
    expect(MAX_PDF_PAGES).toBe(20);
    expect(told(true, true)).toContain(`more than ${PDF_PAGES_UNASKED} pages needs pages`);
    expect(told(true, true)).toContain(`at most ${MAX_PDF_PAGES} pages in one call`);
    expect(JSON.stringify(definitionOf(toolNamed("Read")).input_schema)).not.toContain("PDF");
  });

  test("Edit says that it needs a Read, how long old_string should be, and what is never part of it (A4.8 to A4.10)", async () => {
    const { description } = definitionOf(toolNamed("Edit"));
    expect(description).toMatch(/must have read the file with Read .* Edit fails otherwise/);
    expect(description).toMatch(/occurs only once: usually 2-4 lines, not 10 or more/);
    expect(description).toContain("set replace_all");
    expect(description).toMatch(/begins with its line number and a tab.*never include any of that prefix/);
    const bench = workbench({ a: "text" });
    expect(await bench.text("Read", { file_path: bench.path("a") })).toMatch(/^\d+\ttext$/);
    expect(definitionOf(toolNamed("Read")).description).toContain("each with its number and a tab in front");
  });

  test("Write sends changes to Edit, and says to look first (A8.6)", () => {
    const { description } = definitionOf(toolNamed("Write"));
    expect(description).toContain("To change parts of a file, use Edit");
    expect(description).toContain("Before you overwrite a file, read it with Read");
  });

  test("Grep sends every search here, and says how its syntax differs (A4.14, A4.15)", () => {
    const { description } = definitionOf(toolNamed("Grep"));
    expect(description).toContain("ALWAYS");
    expect(description).toMatch(/NEVER run grep or rg as a Bash command/);
    expect(description).toMatch(/ripgrep's syntax.*braces.*escaped/);
    expect(description).toContain("multiline: true");
    expect(DEFAULT_HEAD_LIMIT).toBe(250);
    expect(description).toContain(`${DEFAULT_HEAD_LIMIT} lines or files`);
    expect(description).toMatch(/head_limit: 0 shows as many as one result may have: use it sparingly/);
  });
});

test("the list is explicit; what only reads may run together, what writes runs alone (A1.12, A3.34)", () => {
  const writers = ["Write", "Edit", "NotebookEdit"];
  expect(agentTools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["Read", ...writers, "Glob", "Grep"]),
  );
  for (const name of ["Read", "Glob", "Grep"])
    expect(toolNamed(name)).toMatchObject({ permissionLevel: "read", parallel: true });
  for (const name of writers)
    expect(toolNamed(name)).toMatchObject({ permissionLevel: "write", parallel: false });
});

test("a tool says what it would touch, absolute, and which call it is", () => {
  const cases: [string, unknown, string, string][] = [
    ["Read", { file_path: "/a/b.ts" }, "/a/b.ts", "/a/b.ts"],
    ["Read", { file_path: "/a/b.ts", offset: 7 }, "/a/b.ts", "/a/b.ts:7"],
    ["Read", { file_path: "/a/b.pdf", pages: "2-3" }, "/a/b.pdf", "/a/b.pdf (pages 2-3)"],
    ["Glob", { pattern: "**/*.ts" }, "/work", "**/*.ts"],
    ["Glob", { pattern: "../x/*.ts" }, "/x", "../x/*.ts"],
    ["Glob", { pattern: "*.ts", path: "sub" }, "/work/sub", "*.ts in sub"],
    ["Glob", { pattern: "/etc/**" }, "/etc", "/etc/**"],
    ["Grep", { pattern: "foo" }, "/work", "foo"],
    ["Grep", { pattern: "foo", path: "sub" }, "/work/sub", "foo in sub"],
  ];
  for (const [name, input, target, title] of cases) {
    const call = toolNamed(name).prepare(input);
    if (call.type !== "ready") throw new Error(call.message);
    expect(call.accesses("/work")).toEqual([{ kind: "read", target }]);
    expect(call.title).toBe(title);
  }
});

test("what writes names the given path and the real one, also of a file that does not exist yet", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "real"));
  symlinkSync(join(folder, "real"), join(folder, "link"));
  const cases: [string, Record<string, string>][] = [
    ["Write", { file_path: join(folder, "link/new/a.txt"), content: "" }],
    ["Edit", { file_path: join(folder, "link/new/a.txt"), old_string: "a", new_string: "b" }],
    ["NotebookEdit", { notebook_path: join(folder, "link/new/a.txt"), new_source: "" }],
  ];
  for (const [name, input] of cases) {
    const call = toolNamed(name).prepare(input);
    if (call.type !== "ready") throw new Error(call.message);
    expect(call.accesses(folder)).toEqual([
      { kind: "write", target: join(folder, "link/new/a.txt") },
      { kind: "write", target: join(folder, "real/new/a.txt") },
    ]);
    expect(call.title).toBe(join(folder, "link/new/a.txt"));
  }
});

test("a tool is one value and one line in a list (A3.35)", async () => {
  const cwd = temporaryFolder();
  const input = z.object({ name: z.string() });
  const greet: Tool<z.infer<typeof input>, string> = {
    name: "Greet",
    aliases: ["Hello"],
    description: "Greets.",
    inputSchema: input,
    permissionLevel: "read",
    parallel: false,
    title: ({ name }) => name,
    accesses: () => [],
    call: async ({ name }, { cwd }) => (name === "" ? failed("Whom?") : `hello ${name} in ${cwd}`),
    mapToolResultToToolResultBlockParam: (text) => text,
  };
  const levels: PermissionLevel[] = ["read", "write", "execute", "network"];
  for (const permissionLevel of levels) {
    const sealed = bindTool({ ...greet, permissionLevel });
    expect(sealed).toMatchObject({ name: "Greet", aliases: ["Hello"], permissionLevel });
    expect(definitionOf(sealed).input_schema).toMatchObject({ required: ["name"] });
    expect(sealed.prepare({ name: 1 }).type).toBe("invalid");
    const call = sealed.prepare({ name: "you" });
    if (call.type !== "ready") throw new Error(call.message);
    const context = { call: callId(MAIN, 1, 0), actor: MAIN, cwd, signal: new AbortController().signal };
    expect(await call.call(context)).toEqual({ content: `hello you in ${cwd}`, isError: false });
  }
});

test("loading the list loads no package that only some calls need", () => {
  const list = JSON.stringify(new URL("../../src/tools/index.ts", import.meta.url));
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import(${list});
    console.log(JSON.stringify(loaded));`;
  const loaded = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(loaded).toContain("zod");
  expect(loaded).toContain("tools/grep/grep.ts");
  expect(loaded).not.toMatch(/@vscode|ripgrep\/lib|sharp|pdfium|read-(image|document|notebook)/);
});

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => !(key === "description" && typeof child === "string"))
      .map(([key, child]) => [key, withoutDescriptions(child)]),
  );
}

function example(required: readonly string[]): Record<string, string> {
  return Object.fromEntries(required.map((name) => [name, "/x"]));
}
