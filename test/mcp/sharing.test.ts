import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import type { ElicitationAnswer } from "../../src/mcp/mcp.ts";
import { failing, never, opened, ready, refused, server } from "./opened-mcp.ts";
import { ECHO_SCHEMA, PIXEL } from "./servers/good-server.ts";

const good = { good: server("good.ts") };

describe("A17.1: a server over stdio, written with the SDK", { tags: ["long"] }, () => {
  test("A17.3: its tools come in pages, sorted, with the schema it gave, unchanged", async () => {
    const { mcp, warnings, state } = await ready(good);
    expect(state("good")).toEqual({ type: "connected" });
    const names = mcp.tools().map(({ name }) => name);
    expect(names).toHaveLength(11);
    expect(names).toEqual([...names].sort());
    const echo = mcp.tools().find(({ name }) => name === "mcp__good__echo");
    expect(echo).toMatchObject({ description: "Says it again.", readOnly: true });
    expect(echo?.inputSchema).toEqual(ECHO_SCHEMA);
    expect(mcp.servers()).toMatchObject([{ tools: 11, instructions: "Use echo to say things again." }]);
    expect(warnings).toEqual([]);
  });

  test("results: text, images, links, structured content, errors", async () => {
    const { mcp } = opened(good);
    const call = (tool: string, input: object = {}) => mcp.call({ name: `mcp__good__${tool}`, input }, never);
    expect(await call("echo", { text: "hello \u001b[31mred" })).toEqual({
      content: "hello red",
      isError: false,
    });
    expect(await call("fails")).toEqual({ content: "It did not go.", isError: true });
    expect(await call("picture")).toEqual({
      isError: false,
      content: [
        { type: "text", text: "a pixel" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
        { type: "text", text: "[Resource one: note:1]" },
        { type: "text", text: "[Resource note:2]\ntwo" },
        { type: "text", text: '{\n  "width": 1\n}' },
      ],
    });
  });

  test("a long result: its beginning and its end, the whole in a private file", async () => {
    const { mcp, folder } = opened(good, { limits: { resultChars: 1_000 } });
    const { content } = await mcp.call({ name: "mcp__good__long", input: { chars: 50_000 } }, never);
    const file = join(folder, "output-1.txt");
    expect(content).toMatch(/^BEGINx+/);
    expect(content).toMatch(/x+END$/);
    expect(content).toContain(file);
    expect(content.length).toBeLessThan(1_400);
    expect(readFileSync(file, "utf8")).toBe(`BEGIN${"x".repeat(50_000)}END`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("says that the whole is not kept, if there is no file for it", async () => {
    const outputs = {
      next(): never {
        throw new Error("no room");
      },
    };
    const { mcp } = opened(good, { limits: { resultChars: 100 }, outputs });
    const { content } = await mcp.call({ name: "mcp__good__long", input: { chars: 500 } }, never);
    expect(content).toContain("The whole is not kept.");
  });

  test("threats: the server's environment is what is harmless and what its entry names", async () => {
    const entry = { ...server("good.ts"), env: { MY_KEY: "1" } };
    const env = { ...process.env, SECRET_OF_MINE: "s", GITHUB_TOKEN: "t" };
    const { mcp } = opened({ good: entry }, { env });
    const { content } = await mcp.call({ name: "mcp__good__env", input: {} }, never);
    const names = String(content).split(" ");
    expect(names).toEqual(expect.arrayContaining(["PATH", "MY_KEY"]));
    expect(names.filter((name) => /SECRET|TOKEN|^NODE|VITEST|npm/.test(name))).toEqual([]);
  });

  test("reports progress, which keeps a call alive beyond its quiet time", async () => {
    const { mcp, event } = opened(good, { limits: { callMs: 1_500 } });
    const call = callId(MAIN, 1, 0);
    const input = { steps: 4, ms: 600 };
    const answer = await mcp.call({ name: "mcp__good__steps", input, call }, never);
    expect(answer).toEqual({ content: "all steps", isError: false });
    expect(await event(({ type }) => type === "progress")).toMatchObject({
      ...{ server: "good", tool: "mcp__good__steps", call, progress: 1, total: 4, message: "step 1" },
    });
  });

  test("progress does not extend the longest time", async () => {
    const { mcp } = opened(good, { limits: { callMs: 1_500, longestCallMs: 2_000 } });
    const answer = await mcp.call({ name: "mcp__good__steps", input: { steps: 40, ms: 200 } }, never);
    expect(answer).toMatchObject(failing("did not answer: 2 s in all"));
  });

  test("cancels a call that never ends, also at the server", async () => {
    const { mcp } = await ready(good, { limits: { callMs: 300 } });
    const answer = await mcp.call({ name: "mcp__good__waits", input: {} }, never);
    expect(answer.isError).toBe(true);
    expect(answer.content).toContain("did not answer: 300 ms without progress. The call was cancelled");
    expect(await mcp.call({ name: "mcp__good__cancelled", input: {} }, never)).toMatchObject({
      content: "1",
    });
  });

  test("rejects an aborted call with the reason, and cancels it at the server", async () => {
    const { mcp } = await ready(good);
    const stop = new AbortController();
    const reason = new Error("enough");
    const call = mcp.call({ name: "mcp__good__waits", input: {} }, stop.signal);
    // What was asked before it is answered, so it has reached the server.
    await mcp.call({ name: "mcp__good__echo", input: { text: "x" } }, never);
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await mcp.call({ name: "mcp__good__cancelled", input: {} }, never)).toMatchObject({
      content: "1",
    });
  });

  test("calls of many agents run side by side over the one connection (C9)", async () => {
    const { mcp } = await ready({ raw: server("raw.ts", "plain") });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => mcp.call({ name: "mcp__raw__hello", input: {} }, never)),
    );
    expect(new Set(answers.map(({ content }) => content)).size).toBe(1);
  });

  test("answers with the roots, and refuses a request for the session's model", async () => {
    const { mcp, folder } = opened(good);
    expect(await mcp.call({ name: "mcp__good__where", input: {} }, never)).toMatchObject({
      content: pathToFileURL(folder).href,
    });
    const { content } = await mcp.call({ name: "mcp__good__think", input: {} }, never);
    expect(content).toContain("Troupe does not let servers ask its model");
  });
});

describe("elicitation", { tags: ["long"] }, () => {
  test("a question reaches the user with the server's message, and the answer the server", async () => {
    const asked: unknown[] = [];
    const ask = {
      async elicit(question: object): Promise<ElicitationAnswer> {
        asked.push(question);
        return { action: "accept", content: { colour: "blue" } };
      },
    };
    const { mcp } = opened(good, { ask });
    const { content } = await mcp.call({ name: "mcp__good__ask", input: {} }, never);
    expect(JSON.parse(String(content))).toEqual({ action: "accept", content: { colour: "blue" } });
    expect(asked).toMatchObject([
      { server: "good", message: "Which colour?", schema: { required: ["colour"] } },
    ]);
  });

  test("while the user thinks, the call does not run out of time", async () => {
    const ask = {
      elicit: () =>
        new Promise<ElicitationAnswer>((resolve) => setTimeout(() => resolve({ action: "decline" }), 1_200)),
    };
    const { mcp } = await ready(good, { ask, limits: { callMs: 600 } });
    const { content } = await mcp.call({ name: "mcp__good__ask", input: {} }, never);
    expect(content).toBe('{"action":"decline"}');
  });

  test("without a user, servers cannot ask", async () => {
    const { mcp } = opened(good);
    const answer = await mcp.call({ name: "mcp__good__ask", input: {} }, never);
    expect(answer).toMatchObject(failing("does not support"));
  });

  test("a question is withdrawn when its call is cancelled", async () => {
    const put = Promise.withResolvers<AbortSignal>();
    const ask = {
      elicit(_: object, signal: AbortSignal): Promise<ElicitationAnswer> {
        put.resolve(signal);
        return new Promise(() => {});
      },
    };
    const { mcp } = opened(good, { ask });
    const stop = new AbortController();
    const call = mcp.call({ name: "mcp__good__ask", input: {} }, stop.signal).catch(() => "stopped");
    const signal = await put.promise;
    stop.abort();
    expect(await call).toBe("stopped");
    await mcp.close();
    expect(signal.aborted).toBe(true);
  });
});

describe("resources and prompts", { tags: ["long"] }, () => {
  test("A3.32, A17.6: listed with their server, read by their address", async () => {
    const { mcp } = await ready({ ...good, raw: server("raw.ts", "plain") });
    const listed = await mcp.listResources(undefined, never);
    expect(listed).toMatchObject({
      ok: true,
      value: [{ server: "good", uri: "note:1", name: "one" }, { uri: "note:2" }],
    });
    expect(await mcp.readResource("good", "note:1", never)).toEqual({
      ...{ content: "[Resource note:1]\nthe note 1", isError: false },
    });
    const missing = await mcp.readResource("good", "else:1", never);
    expect(missing).toMatchObject(failing("there is no else:1"));
    expect(await mcp.listResources("unknown", never)).toMatchObject(
      refused("There are: good (connected), raw (connected)"),
    );
  });

  test("prompts, with their arguments", async () => {
    const { mcp } = await ready(good);
    expect(await mcp.listPrompts("good", never)).toMatchObject({
      ok: true,
      value: [{ server: "good", name: "greet", arguments: [{ name: "who", required: true }] }],
    });
    const prompt = { server: "good", name: "greet", arguments: { who: "Ada" } };
    expect(await mcp.getPrompt(prompt, never)).toEqual({
      ...{ ok: true, value: [{ role: "user", text: "Say hello to Ada.", pictures: [] }] },
    });
  });
});
