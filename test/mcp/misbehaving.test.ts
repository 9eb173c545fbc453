import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";
import { failing, never, opened, ready, server } from "./opened-mcp.ts";

const quick = { reconnectMs: 20, longestReconnectMs: 40 };

describe("fault 58: a server that does not start", { tags: ["long"] }, () => {
  test("never answers: named after its time, with its last output; the others work (A17.5)", async () => {
    const { state, warnings } = await ready(
      { silent: server("raw.ts", "silent"), plain: server("raw.ts", "plain") },
      { limits: { startMs: 1_500 } },
    );
    expect(state("plain")).toEqual({ type: "connected" });
    const reason =
      'The MCP server "silent" (.mcp.json) did not answer within 1.5 s. Its last output: waiting for a licence.';
    expect(state("silent")).toEqual({ type: "failed", reason });
    expect(warnings).toEqual([reason]);
  });

  test("ready answers after its time, whatever starts", async () => {
    const { mcp, state } = opened({ silent: server("raw.ts", "silent") });
    await mcp.ready(50);
    expect(state("silent").type).toBe("starting");
    await mcp.close();
    expect(state("silent")).toEqual({ type: "stopped" });
  });

  test("exits immediately: reports its exit code and its last output, without colours", async () => {
    const { mcp, state } = await ready({ exits: server("raw.ts", "exits") });
    expect(state("exits")).toEqual({
      type: "failed",
      reason:
        'The MCP server "exits" (.mcp.json) ended with exit code 7. Its last output: missing the setting COLOUR.',
    });
    // A call of it says the same, and waits for nothing.
    expect(await mcp.readResource("exits", "x:1", never)).toMatchObject(failing("exit code 7"));
  });

  test("throws as it starts: reports the error, not the stack trace", async () => {
    const { state } = await ready({ throws: server("raw.ts", "throws") });
    const { reason } = { reason: "", ...state("throws") };
    expect(reason).toContain("Cannot find module 'it'");
    expect(reason).not.toContain("at load");
  });

  test("speaks an unknown version of the protocol: that is the reason, and not that it was ended for it", async () => {
    const { state } = await ready({ old: server("raw.ts", "from-another-time") });
    expect(state("old")).toMatchObject({
      ...{ type: "failed", reason: expect.stringMatching(/protocol version.*1999-01-01/) },
    });
  });

  test("there is no such program", async () => {
    const { state } = await ready({ none: { command: "/no/such/program" } });
    expect(state("none")).toMatchObject({
      ...{ type: "failed", reason: expect.stringContaining("there is no program /no/such/program") },
    });
  });

  test("prints a greeting before it speaks: that does no harm", async () => {
    const { mcp, state } = await ready({ garbage: server("raw.ts", "garbage") });
    expect(state("garbage")).toEqual({ type: "connected" });
    expect(await mcp.call({ name: "mcp__garbage__hello", input: {} }, never)).toMatchObject({
      isError: false,
    });
  });

  test("prints nothing but garbage: ended, with the reason", async () => {
    const { state } = await ready({ garbage: server("raw.ts", "only-garbage") });
    expect(state("garbage")).toMatchObject({
      ...{
        type: "failed",
        reason: expect.stringContaining("writes lines to its standard output that are not messages"),
      },
    });
  });
});

describe("fault 58: a server that fails while it runs", { tags: ["long"] }, () => {
  test("crashes in a call: an error result that says what is not known, and it is started again", async () => {
    const file = join(temporaryFolder(), "starts");
    const { mcp, event, state } = await ready({ raw: server("raw.ts", "plain", file) }, { limits: quick });
    expect(await mcp.call({ name: "mcp__raw__crash", input: {} }, never)).toEqual({
      isError: true,
      content:
        'The MCP server "raw" ended with exit code 3 before it answered; it is not known whether the call did its work. Its last output: something went terribly wrong.',
    });
    await event(
      (one) => one.type === "state" && one.state.type === "starting" && one.state.reason !== undefined,
    );
    // Waits for the server that is just starting.
    expect(await mcp.call({ name: "mcp__raw__hello", input: {} }, never)).toMatchObject({ isError: false });
    expect(state("raw")).toEqual({ type: "connected" });
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(3);
  });

  test("crashes again and again: stays stopped after a number of tries, until it is restarted by hand", async () => {
    const { mcp, event, state } = opened(
      { raw: server("raw.ts", "plain") },
      { limits: { ...quick, reconnects: 2 } },
    );
    for (let crash = 0; crash < 3; crash++)
      expect((await mcp.call({ name: "mcp__raw__crash", input: {} }, never)).content).toContain(
        "exit code 3",
      );
    await event((one) => one.type === "state" && one.state.type === "failed");
    expect(state("raw")).toMatchObject({
      reason: expect.stringContaining("It was restarted 2 times and stays stopped."),
    });
    expect(await mcp.restart("raw", never)).toEqual({ ok: true, value: null });
    expect(await mcp.call({ name: "mcp__raw__hello", input: {} }, never)).toMatchObject({ isError: false });
  });

  test("floods 100 MB: cut off, with the reason, and the broker lives", async () => {
    const { mcp, warnings } = await ready(
      { raw: server("raw.ts", "plain"), other: server("raw.ts", "plain") },
      { limits: quick },
    );
    const answer = await mcp.call({ name: "mcp__raw__flood", input: {} }, never);
    expect(answer).toMatchObject(failing("sent a message of more than 16777216 bytes"));
    expect(await mcp.call({ name: "mcp__other__hello", input: {} }, never)).toMatchObject({ isError: false });
    expect(warnings.filter((warning) => warning.includes("broker"))).toEqual([]);
  });

  test("answers with invalid JSON-RPC: an immediate error result", async () => {
    const { mcp } = opened({ raw: server("raw.ts", "plain") });
    expect(await mcp.call({ name: "mcp__raw__broken", input: {} }, never)).toEqual({
      isError: true,
      content: 'The MCP server "raw" answered with an error: its answer is not JSON-RPC.',
    });
  });

  test("answers with an invalid result: an error that names the field", async () => {
    const { mcp } = opened({ raw: server("raw.ts", "no-list") });
    expect(await mcp.call({ name: "mcp__raw__no-list", input: {} }, never)).toEqual({
      content: 'The MCP server "raw" sent an invalid answer (content: expected array).',
      isError: true,
    });
  });

  test("answers more deeply nested than processes can pass on: an error result, or no tools; the others stay", async () => {
    const { mcp, state, warnings } = await ready({
      raw: server("raw.ts", "plain"),
      deep: server("raw.ts", "deep"),
    });
    expect(state("deep")).toMatchObject({ reason: expect.stringContaining("more than 500 levels deep") });
    expect(await mcp.call({ name: "mcp__raw__deep", input: {} }, never)).toMatchObject(
      failing("more than 500 levels deep"),
    );
    expect(await mcp.call({ name: "mcp__raw__hello", input: {} }, never)).toMatchObject({ isError: false });
    expect(warnings.filter((warning) => warning.includes("broker"))).toEqual([]);
  });

  test("hangs: the call ends, and another one is answered", async () => {
    const { mcp } = await ready({ raw: server("raw.ts", "plain") }, { limits: { callMs: 400 } });
    const hanging = mcp.call({ name: "mcp__raw__hang", input: {} }, never);
    expect(await mcp.call({ name: "mcp__raw__hello", input: {} }, never)).toMatchObject({ isError: false });
    expect(await hanging).toMatchObject(failing("400 ms"));
  });

  test("lists invalid tools: each is named, the others stay; a long description is cut", async () => {
    const { mcp, warnings } = await ready({ liar: server("raw.ts", "liar") });
    const tools = mcp.tools();
    expect(tools.map(({ tool }) => tool).sort()).toEqual([
      ...["badOutput", "fine", "long.name/with strange characters"],
    ]);
    expect(tools.find(({ tool }) => tool.startsWith("long"))?.description).toHaveLength(2_048);
    expect(warnings).toHaveLength(5);
    for (const warning of warnings) expect(warning).toMatch(/^The MCP server "liar" offers .+\.$/);
  });
});
