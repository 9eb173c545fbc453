import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { definitionOf } from "../../src/tools/definition.ts";
import { globPrompt } from "../../src/tools/glob.ts";
import { grepPrompt } from "../../src/tools/grep.ts";
import { DEFAULT_HEAD_LIMIT } from "../../src/tools/grep-arguments.ts";
import { agentTools } from "../../src/tools/index.ts";
import { renderPrompt } from "../../src/tools/prompt.ts";
import { DEFAULT_LINES, readPrompt } from "../../src/tools/read.ts";
import { seal } from "../../src/tools/sealed.ts";
import { failed, type PermissionLevel, type Tool } from "../../src/tools/tool.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { toolNamed } from "./workbench.ts";

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

describe.each(Object.entries(SEED))("the schema of %s (A3.1, A3.4, A3.5)", (name, seed) => {
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
    ["Read", readPrompt("default")],
    ["Glob", globPrompt],
    ["Grep", grepPrompt],
  ])("%s answers the six questions, and its description is their rendering (A4.1)", (name, prompt) => {
    expect(Object.keys(prompt).sort()).toEqual(["how", "limits", "recover", "what", "when", "whenNot"]);
    expect(toolNamed(name).description).toEqual(prompt);
    expect(definitionOf(toolNamed(name)).description).toBe(renderPrompt(prompt));
  });

  test("Read names its real default, and one piece of advice on parts, never both (A4.11, A4.12)", () => {
    expect(DEFAULT_LINES).toBe(2000);
    const [whole, part] = [readPrompt("default"), readPrompt("targeted")].map((prompt) =>
      renderPrompt(prompt),
    );
    for (const text of [whole, part]) expect(text).toContain(`${DEFAULT_LINES} lines`);
    expect(whole).toContain("read the whole file");
    expect(whole).not.toContain("read only that part");
    expect(part).toContain("read only that part");
    expect(part).not.toContain("read the whole file");
  });

  test("what Read cannot do is not promised (A4.13)", () => {
    expect(JSON.stringify(definitionOf(toolNamed("Read")))).not.toContain("PDF");
  });

  test("Grep sends every search here, and says how its syntax differs (A4.14, A4.15)", () => {
    const { description } = definitionOf(toolNamed("Grep"));
    expect(description).toContain("ALWAYS");
    expect(description).toMatch(/NEVER run grep or rg as a Bash command/);
    expect(description).toMatch(/ripgrep's syntax.*braces.*escaped/);
    expect(description).toContain("multiline: true");
    expect(DEFAULT_HEAD_LIMIT).toBe(250);
    expect(description).toContain(`${DEFAULT_HEAD_LIMIT} lines or files`);
    expect(description).toMatch(/head_limit: 0 shows all: use it sparingly/);
  });
});

test("the list is explicit, every tool reads, and calls may run together (A3.34)", () => {
  expect(agentTools.map(({ name }) => name)).toEqual(["Read", "Glob", "Grep"]);
  for (const tool of agentTools) {
    expect(tool.permissionLevel).toBe("read");
    expect(tool.parallel).toBe(true);
  }
});

test("a tool says what it would touch, absolute, and which call it is", () => {
  const cases: [string, unknown, string, string][] = [
    ["Read", { file_path: "/a/b.ts" }, "/a/b.ts", "/a/b.ts"],
    ["Read", { file_path: "/a/b.ts", offset: 7 }, "/a/b.ts", "/a/b.ts:7"],
    ["Glob", { pattern: "**/*.ts" }, "/work", "**/*.ts"],
    ["Glob", { pattern: "../x/*.ts", path: "sub" }, "/work/x", "../x/*.ts in sub"],
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
    const sealed = seal({ ...greet, permissionLevel });
    expect(sealed).toMatchObject({ name: "Greet", aliases: ["Hello"], permissionLevel });
    expect(definitionOf(sealed).input_schema).toMatchObject({ required: ["name"] });
    expect(sealed.prepare({ name: 1 }).type).toBe("invalid");
    const call = sealed.prepare({ name: "you" });
    if (call.type !== "ready") throw new Error(call.message);
    const context = { call: callId(MAIN, 1, 0), actor: MAIN, cwd, signal: new AbortController().signal };
    expect(await call.call(context)).toEqual({ content: `hello you in ${cwd}`, isError: false });
  }
});

test("loading the list loads neither globby nor the ripgrep package", () => {
  const list = JSON.stringify(new URL("../../src/tools/index.ts", import.meta.url));
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import(${list});
    console.log(JSON.stringify(loaded));`;
  const loaded = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(loaded).toContain("zod");
  expect(loaded).toContain("tools/grep.ts");
  expect(loaded).not.toMatch(/globby|fast-glob|@vscode|ripgrep\/lib/);
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
