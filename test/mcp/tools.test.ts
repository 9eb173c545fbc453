import { describe, expect, test } from "vitest";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { resourceTools, serverTools } from "../../src/mcp/mcp-tools.ts";
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
    // The server checks the rest.
    expect(echo?.prepare([])).toMatchObject({ type: "invalid" });
    expect(echo?.prepare({ text: "say this" })).toMatchObject({ type: "ready", title: "say this" });
    expect(await run(echo, { text: "say this" })).toEqual({ content: "say this", isError: false });
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
