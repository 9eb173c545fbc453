import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentTool } from "../../src/mailbox/messages.ts";
import { bindTool } from "../../src/tools/bind-tool.ts";
import type { AgentCallContext } from "../../src/tools/tool.ts";
import { resolveCall, searchTools, toolSearchTool, unresolvedCall } from "../../src/tools/tool-search.ts";

function tool(name: string, description = "", fields: readonly string[] = []): AgentTool {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return {
    ...{ name, description, side: "supervisor", aliases: [], parallel: false, deferred: true },
    input_schema: { type: "object", properties },
  };
}

const tools = [
  tool("mcp__github__create_issue", "Opens an issue in a repository", ["title", "body"]),
  tool("mcp__github__list_issues", "Lists the issues of a repository", ["state"]),
  tool("mcp__slack__postMessage", "Says something in a channel", ["channel"]),
  tool("mcp__jira__search", "Finds tickets; like an issue of GitHub", ["jql"]),
  tool("NotebookEdit", "Changes a cell"),
];
const named = (query: string, most = 5) => searchTools(query, tools, most).tools.map(({ name }) => name);

/** What the model gets. */
async function answer(query: string, most?: number): Promise<string> {
  const call = bindTool(toolSearchTool).prepare({
    query,
    ...(most === undefined ? {} : { max_results: most }),
  });
  if (call.type === "invalid") throw new Error(call.message);
  // It looks at nothing else of its context.
  const { content, isError } = await call.call({ deferred: tools } as unknown as AgentCallContext);
  expect(isError).toBe(false);
  return String(content);
}

describe("ToolSearch (A3.31)", () => {
  test("select: names, whatever their case, in the order asked for", () => {
    expect(named("select:notebookedit, mcp__github__list_issues")).toEqual([
      "NotebookEdit",
      "mcp__github__list_issues",
    ]);
    expect(searchTools("select:Nope,NotebookEdit", tools, 5).unknown).toEqual(["Nope"]);
  });

  test("words are ranked: the name before the description", () => {
    expect(named("create issue")[0]).toBe("mcp__github__create_issue");
    expect(named("issue").at(-1)).toBe("mcp__jira__search");
    expect(named("post")).toEqual(["mcp__slack__postMessage"]);
    expect(named("jql")).toEqual(["mcp__jira__search"]);
  });

  test("a word with a plus must be there", () => {
    expect(named("+github issue")).toEqual(
      expect.arrayContaining(["mcp__github__create_issue", "mcp__jira__search"]),
    );
    expect(named("+slack issue")).toEqual(["mcp__slack__postMessage"]);
  });

  test("what nothing fits is an empty result and no error", async () => {
    expect(await answer("quantum")).toBe("No deferred tool matches.");
    expect(await answer("select:Quantum")).toBe(
      "No deferred tool matches.\nNot among the deferred tools: Quantum.",
    );
    expect(await answer("")).toBe("No deferred tool matches.");
    expect(await answer("select:")).toBe("No deferred tool matches.");
  });

  test("it answers whole schemas, no more tools than asked for, and says that there are others", async () => {
    const lines = (await answer("github issue", 1)).split("\n");
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      name: "mcp__github__create_issue",
      description: "Opens an issue in a repository",
      input_schema: { type: "object", properties: { title: { type: "string" }, body: { type: "string" } } },
    });
    expect(lines.at(-1)).toMatch(/^2 more would match/);
  });

  test("any query is answered, each tool at most once", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `select:${text}`),
        ),
        fc.integer({ min: 1, max: 50 }),
        (query, most) => {
          const found = searchTools(query, tools, most).tools;
          expect(new Set(found).size).toBe(found.length);
        },
      ),
    );
  });
});

describe("what a call means", () => {
  const read: AgentTool = { ...tool("Read"), side: "agent" };
  delete read.deferred;
  const caller: AgentTool = { ...tool("UseTool"), side: "agent" };
  delete caller.deferred;
  const offered = [read, caller, ...tools];
  const use = (input: unknown) => resolveCall({ name: "UseTool", input }, offered);

  test("through UseTool: the tool it names, with its own input", () => {
    expect(use({ tool: "NotebookEdit", input: { a: 1 } })).toMatchObject({
      tool: { name: "NotebookEdit" },
      input: { a: 1 },
    });
    expect(use({ tool: "NotebookEdit" })).toMatchObject({ input: {} });
    expect(use({ tool: "NotebookEdit", input: '{"a":1}' })).toMatchObject({ input: { a: 1 } });
  });

  test("by its own name as well", () => {
    expect(resolveCall({ name: "NotebookEdit", input: { a: 1 } }, offered)).toMatchObject({
      input: { a: 1 },
    });
  });

  test("only of what is deferred: rules on replies go by the names of the others", () => {
    for (const input of [
      { tool: "Read", input: {} },
      { tool: "UseTool", input: {} },
      { tool: "Nope" },
      {},
      null,
      "x",
    ]) {
      expect(use(input)).toBeNull();
    }
    expect(unresolvedCall({ tool: "Read" }, offered)).toBe("Read is not deferred: call it by its own name.");
    expect(unresolvedCall({ tool: "Nope" }, offered)).toContain("There is no deferred tool named");
    expect(unresolvedCall({}, offered)).toContain("Invalid input for UseTool");
  });
});
