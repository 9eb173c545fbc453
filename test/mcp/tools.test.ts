// @module-tag long
import { describe, expect, test } from "vitest";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { inputProblems, resourceTools, serverTools } from "../../src/mcp/mcp-tools.ts";
import type { SealedTool } from "../../src/tools/bind-tool.ts";
import type { CallContext } from "../../src/tools/tool.ts";
import { never, opened, ready, server } from "./opened-mcp.ts";
import { ECHO_SCHEMA } from "./servers/good-server.ts";

const context: CallContext = { call: callId(MAIN, 1, 0), actor: MAIN, cwd: "/", signal: never };

async function run(tool: SealedTool | undefined, input: unknown) {
  const ready = tool?.prepare(input);
  if (ready?.type !== "ready") throw new Error(ready?.message ?? "no such tool");
  return ready.call(context);
}

describe("A17.2: a server's tools among ours", () => {
  test("named, gated as something that acts, with the server's schema as it came", {
    tags: ["long"],
  }, async () => {
    const { mcp } = await ready({ good: server("good.ts") });
    const echo = serverTools(mcp).find(({ name }) => name === "mcp__good__echo");
    expect(echo).toMatchObject({
      permissionLevel: "execute",
      parallel: true,
      repeatable: false,
      aliases: [],
    });
    expect(echo?.jsonSchema).toEqual(ECHO_SCHEMA);
    expect(serverTools(mcp).find(({ name }) => name === "mcp__good__env")).toMatchObject({ parallel: false });
    expect(echo?.prepare({ text: "say this" })).toMatchObject({ type: "ready", title: "say this" });
    expect(await run(echo, { text: "say this" })).toEqual({ content: "say this", isError: false });
  });

  test("explains input that does not fit the schema to the model, and asks no server", async () => {
    const { mcp } = await ready({ good: server("good.ts") });
    const echo = serverTools(mcp).find(({ name }) => name === "mcp__good__echo");
    expect(echo?.prepare({ times: 1.5, more: true })).toEqual({
      type: "invalid",
      message:
        "Invalid input for mcp__good__echo:\n- text: required, expected string\n- times: expected integer, got number\n- more: there is no such field\nCorrect the input and call mcp__good__echo again.",
    });
  });

  test("A3.32, A17.6: resources are listed and read by tools, known by their older names too", async () => {
    const { mcp } = await ready({ good: server("good.ts") });
    const [list, read] = resourceTools(mcp);
    expect([list, read].map((tool) => [tool?.name, ...(tool?.aliases ?? [])])).toEqual([
      ["ListMcpResources", "ListMcpResourcesTool"],
      ["ReadMcpResource", "ReadMcpResourceTool"],
    ]);
    const listed = await run(list, {});
    expect(String(listed.content).split("\n")[0]).toBe(
      '{"server":"good","uri":"note:1","name":"one","mimeType":"text/plain","description":"The first note."}',
    );
    expect(await run(read, { server: "good", uri: "note:2" })).toEqual({
      ...{ content: "[Resource note:2]\nthe note 2", isError: false },
    });
    expect(await run(read, { server: "good", uri: "x:1" })).toMatchObject({ isError: true });
    // A server that only others bring is not there.
    const [listOthers, readOthers] = resourceTools(mcp, () => () => false);
    expect((await run(listOthers, {})).content).toContain("No MCP server is connected.");
    expect((await run(readOthers, { server: "good", uri: "note:2" })).content).toBe(
      'There is no MCP server "good". No MCP server is configured.',
    );
  });

  test("A3.32: both say that there is no server", async () => {
    const { mcp } = opened({});
    const [list, read] = resourceTools(mcp);
    expect(await run(list, {})).toEqual({
      ...{ isError: true, content: "No MCP server is connected. No MCP server is configured." },
    });
    expect(await run(read, { server: "a", uri: "b" })).toEqual({
      ...{ isError: true, content: 'There is no MCP server "a". No MCP server is configured.' },
    });
  });
});

describe("a foreign schema is read and never run", () => {
  const problems = (schema: object, input: unknown) => inputProblems({ type: "object", ...schema }, input);

  test.each<[string, object, unknown, string[]]>([
    ["nested", { properties: { a: { type: "object", required: ["b"] } } }, { a: {} }, ["a.b: required"]],
    [
      "lists",
      { properties: { a: { type: "array", items: { type: "string" } } } },
      { a: ["x", 1] },
      ["a[1]: expected string, got number"],
    ],
    ["several types", { properties: { a: { type: ["string", "null"] } } }, { a: null }, []],
    ["choices", { properties: { a: { enum: ["x", 1] } } }, { a: "y" }, ['a: must be one of "x", 1']],
    ["a constant", { properties: { a: { const: { b: 1 } } } }, { a: { b: 1 } }, []],
    ["no object", {}, [], ["input: expected object, got array"]],
    [
      "a required field with a default, as servers made with zod list it",
      { properties: { scale: { type: "string", default: "css" } }, required: ["scale"] },
      {},
      [],
    ],
    [
      "unknown words",
      { properties: { a: { type: "colour", pattern: "(a+)+$", $ref: "#" } } },
      { a: "aaaa!" },
      [],
    ],
    ["fields by pattern", { additionalProperties: false, patternProperties: { "^x": {} } }, { x1: 1 }, []],
    ["names that objects have by birth", { required: ["constructor"] }, {}, ["constructor: required"]],
  ])("%s", (_, schema, input, expected) => {
    expect(problems(schema, input)).toEqual(expected);
  });

  test("however deep or wide, it ends and stays short", () => {
    let schema: object = { type: "string" };
    let input: unknown = 1;
    for (let depth = 0; depth < 1_000; depth++) {
      schema = { type: "object", properties: { a: schema } };
      input = { a: input };
    }
    expect(inputProblems({ ...schema, type: "object" }, input)).toEqual([]);
    const wide = Object.fromEntries(Array.from({ length: 500 }, (__, at) => [`f${at}`, 1]));
    expect(problems({ additionalProperties: false }, wide)).toHaveLength(10);
  });
});
