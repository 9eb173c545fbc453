import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { mcpServer, serveTool } from "../../../src/cli/mcp-serve/mcp-server.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const META = "io.modelcontextprotocol";
const Message = z.looseObject({
  id: z.optional(z.union([z.string(), z.number()])),
  result: z.optional(z.looseObject({})),
});

/** A client's pipes, on which each request says the version, and the server's own tool. */
function stateless() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received: z.infer<typeof Message>[] = [];
  output.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString("utf8").split("\n").filter(Boolean))
      received.push(z.parse(Message, JSON.parse(line)));
  });
  let runs = 0;
  const tool = serveTool({
    ...{ name: "roots", title: "Roots", description: "Says them", input: z.object({}) },
    output: z.object({ roots: z.array(z.string()) }),
    hints: { readOnlyHint: true, openWorldHint: false },
    async run() {
      runs += 1;
      const roots = await connection.roots();
      return { texts: [roots.join()], data: { roots: [...roots] } };
    },
  });
  const parts = { version: "1", instructions: "Do.", tools: [tool], onProblem() {} };
  const connection = mcpServer(parts);
  const envelope = {
    [`${META}/protocolVersion`]: "2026-07-28",
    [`${META}/clientInfo`]: { name: "newer", version: "1" },
    [`${META}/clientCapabilities`]: { roots: {} },
  };
  return {
    connection,
    runs: () => runs,
    connect: () => connection.connect(new StdioServerTransport(input, output)),
    /** Sends a request and returns the response that has its id. */
    async ask(id: number, method: string, params: object = {}, meta: object = envelope) {
      input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } })}\n`);
      const response = () => received.find((one) => one.id === id);
      await expect.poll(response).toBeDefined();
      return response();
    },
  };
}

test("a client that knows only MCP 2026-07-28 learns what there is without a handshake", async () => {
  const { connection, connect, ask } = stateless();
  await connect();
  expect(await ask(1, "server/discover")).toMatchObject({
    result: {
      ...{ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, instructions: "Do." },
      ...{ resultType: "complete", ttlMs: 0, _meta: { [`${META}/serverInfo`]: { name: "troupe" } } },
    },
  });
  expect(connection.clientName()).toBe("newer");
  expect(await ask(2, "tools/list")).toMatchObject({
    result: { tools: [{ name: "roots" }], resultType: "complete", cacheScope: "private" },
  });
  const newer = { [`${META}/protocolVersion`]: "2027-01-01" };
  expect(await ask(3, "tools/list", {}, newer)).toMatchObject({
    error: { code: -32_022, data: { supported: ["2026-07-28"] } },
  });
  await connection.close();
});

test("a question ends the request, and the repeated request gets the result of the first", async () => {
  const { connection, connect, ask, runs } = stateless();
  await connect();
  const asked = await ask(1, "tools/call", { name: "roots", arguments: {} });
  expect(asked).toMatchObject({ result: { resultType: "input_required", requestState: "1" } });
  const inputRequests = z.parse(
    z.record(z.string(), z.object({ method: z.string() })),
    asked?.result?.["inputRequests"],
  );
  const [[question = "", request] = []] = Object.entries(inputRequests);
  expect(request?.method).toBe("roots/list");
  const uri = pathToFileURL(temporaryFolder()).href;
  const inputResponses = { [question]: { roots: [{ uri }] } };
  const again = { name: "roots", arguments: {}, inputResponses };
  expect(await ask(2, "tools/call", { ...again, requestState: "1" })).toMatchObject({
    result: { content: [{ text: uri }], structuredContent: { roots: [uri] }, resultType: "complete" },
  });
  // What has its result is not run again.
  expect(await ask(3, "tools/call", { ...again, requestState: "1" })).toMatchObject({
    error: { message: "This server has no open request with that requestState." },
  });
  expect(runs()).toBe(1);
  await connection.close();
});

test("a client whose name is not valid gets an error, and can ask again", async () => {
  const { connect, ask } = stateless();
  await connect();
  const nameless = { [`${META}/protocolVersion`]: "2026-07-28", [`${META}/clientInfo`]: {} };
  expect(await ask(1, "server/discover", {}, nameless)).toHaveProperty("error.code");
  expect(await ask(2, "server/discover")).toMatchObject({ result: { capabilities: { tools: {} } } });
});
