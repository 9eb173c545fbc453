// @module-tag long
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { FloodGuard } from "../../src/mcp/broker/flood-guard.ts";
import { defaultMcpLimits } from "../../src/mcp/server.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { never, type OpenedMcp, opened, ready, server } from "./opened-mcp.ts";
import { httpServer } from "./servers/http-server.ts";

const KB = 1024;

const log = (data: string) => ({
  ...{ jsonrpc: "2.0" as const, method: "notifications/message", params: { level: "info", data } },
});

/** All that the session hears of a server that is cut off. */
async function expectCutOff({ event, state, warnings, events }: OpenedMcp, why: string): Promise<void> {
  await event((one) => one.type === "state" && one.state.type === "failed");
  const reason = `The MCP server "wild" ${why}, and was cut off. /mcp restart wild starts it again; if it does this again, remove it from .mcp.json.`;
  expect(state("wild")).toEqual({ type: "failed", reason });
  expect(warnings).toEqual([reason]);
  const starts = events.filter(
    (one) => one.type === "state" && one.server === "wild" && one.state.type === "starting",
  );
  expect(starts).toHaveLength(1);
}

const unasked = "sent more than 65536 bytes of unrequested messages within a minute";

describe("a stdio server that floods", () => {
  const limits = { unaskedBytes: 64 * KB };

  test.each([
    ["small notifications", JSON.stringify(log("x"))],
    ["large notifications", JSON.stringify(log("x".repeat(10 * KB)))],
    ["requests", '{"jsonrpc":"2.0","id":7,"method":"ping"}'],
    ["replies to no request", '{"jsonrpc":"2.0","id":"none","result":{}}'],
    [
      "progress of no call",
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77,"progress":1}}',
    ],
  ])("is cut off for %s, once, and another server stays (fault 58)", { tags: ["long"] }, async (_, line) => {
    const all = opened(
      { wild: server("raw.ts", "floods", line), plain: server("raw.ts", "plain") },
      { limits },
    );
    await expectCutOff(all, unasked);
    expect(await all.mcp.call({ name: "mcp__plain__hello", input: {} }, never)).toMatchObject({
      isError: false,
    });
  });

  test("is cut off for empty lines, as for other garbage (fault 58)", { tags: ["long"] }, async () => {
    const { event } = opened({ wild: server("raw.ts", "floods", "") }, { limits: { reconnects: 0 } });
    expect(await event((one) => one.type === "state" && one.state.type === "failed")).toMatchObject({
      state: { reason: expect.stringContaining("writes lines to its standard output that are not messages") },
    });
  });

  test("is started again only by the user", async () => {
    const all = opened({ wild: server("raw.ts", "floods", JSON.stringify(log("x"))) }, { limits });
    await expectCutOff(all, unasked);
    void all.mcp.restart("wild", never);
    await expect
      .poll(() => all.events.filter((one) => one.type === "state" && one.state.type === "failed").length)
      .toBe(2);
  });

  test("may report 10,000 steps of progress in one call", { tags: ["long"] }, async () => {
    const { mcp, events } = await ready({ raw: server("raw.ts", "progress") });
    const result = await mcp.call({ name: "mcp__raw__progress", input: {} }, never);
    expect(result).toEqual({ isError: false, content: expect.stringContaining("hello") });
    expect(events.some(({ type }) => type === "progress")).toBe(true);
  });

  test("passes one change of its prompts on for many that it reports at a time", async () => {
    const line = '{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}';
    const all = opened({ wild: server("raw.ts", "floods", line) }, { limits });
    await expectCutOff(all, unasked);
    expect(all.events.filter(({ type }) => type === "prompts").length).toBeLessThan(5);
  });
});

describe("a server over HTTP that floods", () => {
  /** Streams the same for ever where the client listens for messages. */
  const streaming = (piece: string) => (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "GET") return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const more = () => {
      while (!response.destroyed && response.write(piece.repeat(1_000)));
    };
    response.on("drain", more);
    more();
    return true;
  };
  const streams = "sent more than 4194304 bytes of event streams within a minute";

  test.each([
    ["notifications", `data: ${JSON.stringify(log("x"))}\n\n`, unasked],
    ["comments", ": still here\n\n", streams],
    ["unknown events", "event: other\ndata: x\n\n", streams],
    ["events that are not messages", "data: x\n\n", unasked],
  ])("is cut off for %s (fault 58)", { tags: ["long"] }, async (_, piece, why) => {
    const { url } = await httpServer({ instead: streaming(piece) });
    const limits = { unaskedBytes: 64 * KB, messageBytes: 1024 * KB };
    await expectCutOff(opened({ wild: { type: "http", url } }, { limits }), why);
  });

  test("is cut off if it has its stream opened again and again (fault 58)", async () => {
    const { url, requests } = await httpServer({
      instead(request, response) {
        if (request.method !== "GET") return false;
        response.writeHead(200, { "content-type": "text/event-stream" }).end("retry: 0\n\n");
        return true;
      },
    });
    const all = opened({ wild: { type: "http", url } }, { limits: { unaskedBytes: 1024 * KB } });
    await expectCutOff(all, "sent more than 1048576 bytes of unrequested messages within a minute");
    expect(requests.length).toBeLessThan(100);
  });
});

describe("the flood guard", () => {
  function guarded() {
    const clock = new FakeClock();
    let cuts = 0;
    const guard = new FloodGuard(clock, { ...defaultMcpLimits, unaskedBytes: 10 * KB }, () => (cuts += 1));
    return { clock, guard, cuts: () => cuts };
  }

  test("counts a small notification as 256 bytes, and cuts off once", () => {
    const { guard, cuts } = guarded();
    for (let sent = 0; sent < 40; sent++) guard.countMessage(log("x"));
    expect([guard.fault, cuts()]).toEqual([null, 0]);
    for (let sent = 0; sent < 10; sent++) guard.countMessage(log("x"));
    expect(guard.fault).toContain("10240 bytes");
    expect(cuts()).toBe(1);
  });

  test("starts again each minute", async () => {
    const { clock, guard } = guarded();
    for (let minute = 0; minute < 5; minute++) {
      for (let sent = 0; sent < 40; sent++) guard.countMessage(log("x"));
      await clock.advance(60_000);
    }
    expect(guard.fault).toBeNull();
  });

  test("does not count replies", () => {
    const { guard } = guarded();
    for (let sent = 0; sent < 100; sent++)
      guard.countMessage({ jsonrpc: "2.0", id: sent, result: { content: "x".repeat(KB) } });
    expect(guard.fault).toBeNull();
  });
});
