// @module-tag long
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { ElicitationAnswer } from "../../src/mcp/mcp.ts";
import { never, ready, server } from "./opened-mcp.ts";
import { StatelessServer } from "./servers/stateless-server.ts";

const call = (name: string, input: Record<string, unknown> = {}) => ({ name: `mcp__s__${name}`, input });

test("a program that knows only MCP 2026-07-28: its tools, calls and changes", async () => {
  const { mcp, state, event } = await ready({ s: server("stateless.ts") });
  expect(state("s")).toEqual({ type: "connected" });
  expect(mcp.tools().map(({ tool }) => tool)).toEqual(["add", "ask", "echo", "hang", "marked"]);
  expect(await mcp.call(call("echo", { text: "hi" }), never)).toMatchObject({ content: "echo hi null" });
  const has = (name: string) =>
    event(({ type }) => type === "tools" && mcp.tools().some(({ tool }) => tool === name));
  await mcp.call(call("add"), never);
  await has("added");
  // If the caller stops waiting, the server is told to cancel the call.
  const stop = new AbortController();
  const hanging = mcp.call(call("hang"), stop.signal);
  await has("hangs");
  stop.abort(new Error("given up"));
  await expect(hanging).rejects.toThrow("given up");
  expect(await mcp.call(call("echo", { text: "2" }), never)).toMatchObject({
    content: expect.stringContaining("requestId"),
  });
});

test("what such a server asks reaches the user, and the call is repeated with the answer", async () => {
  const questions: object[] = [];
  const ask = {
    async elicit(question: object): Promise<ElicitationAnswer> {
      questions.push(question);
      return { action: "accept", content: { name: "Ada" } };
    },
  };
  const { mcp } = await ready({ s: server("stateless.ts") }, { ask });
  expect(await mcp.call(call("ask"), never)).toMatchObject({ content: "s1: hello Ada" });
  expect(questions).toMatchObject([{ server: "s", message: "Who are you?" }]);
});

test("over HTTP each request has the headers of the protocol, a cancel closes its response, and no session is opened", async () => {
  const lines: string[] = [];
  const hangs = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const http = createServer(async (request, response) => {
    const { "mcp-method": method, "mcp-name": name, "mcp-session-id": session } = request.headers;
    const params = Object.entries(request.headers).filter(([header]) => header.startsWith("mcp-param-"));
    lines.push([request.method, method, name, session, ...params.flat()].filter(Boolean).join(" "));
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const answering = new StatelessServer((message) => {
      const isRefused = JSON.stringify(message).includes("-32022");
      response
        .writeHead(isRefused ? 400 : 200, { "content-type": "application/json" })
        .end(JSON.stringify(message));
    });
    answering.receive(JSON.parse(body));
    if (name !== "hang") return;
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
    response.once("close", closed.resolve);
    hangs.resolve();
  });
  const port = await new Promise<number>((resolve) => {
    http.listen(0, "127.0.0.1", () => {
      const address = http.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { mcp, state, warnings } = await ready({ s: { url: `http://127.0.0.1:${port}/mcp` } });
  expect(state("s")).toEqual({ type: "connected" });
  expect(await mcp.call(call("echo", { text: "hi" }), never)).toMatchObject({ content: "echo hi null" });
  const input = { text: "no header", region: "eu west", deep: { count: 2, flag: false, none: null } };
  await mcp.call(call("marked", input), never);
  await mcp.call(call("marked", { region: " Zürich" }), never);
  const stop = new AbortController();
  const hanging = mcp.call(call("hang"), stop.signal);
  await hangs.promise;
  stop.abort(new Error("given up"));
  await expect(hanging).rejects.toThrow("given up");
  await closed.promise;
  expect(await mcp.call(call("echo", { text: "2" }), never)).toMatchObject({ content: "echo 2 null" });
  expect(warnings).toEqual([expect.stringContaining('offers a tool "broken" whose x-mcp-header "A B"')]);
  expect(lines.filter((line) => !line.includes("subscriptions"))).toEqual([
    "POST",
    "POST server/discover",
    "POST tools/list",
    "POST tools/call echo",
    "POST tools/call marked mcp-param-region eu west mcp-param-count 2 mcp-param-flag false",
    `POST tools/call marked mcp-param-region =?base64?${Buffer.from(" Zürich").toString("base64")}?=`,
    "POST tools/call hang",
    "POST tools/call echo",
  ]);
});
