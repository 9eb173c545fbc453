import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { ActorHost } from "../../src/actors/hosts.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import type { ModelClient, ModelOutcome } from "../../src/model/client.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { everyDayHosts, supervised } from "../support/supervised.ts";

describe.each(everyDayHosts)("what a library user hands in cannot take the runtime with it, %s", (host) => {
  test("a listener that throws is said once; every agent ends as without it", async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => void warnings.push(message);
    process.on("warning", note);
    const { supervisor } = supervised(
      host,
      (request, n) =>
        request.actor === "main" && n === 0
          ? { calls: [{ name: "Agent", input: { description: "d", prompt: "p", subagent_type: "Explore" } }] }
          : { text: "ok" },
      {
        onEvent() {
          throw new Error("the painter slipped");
        },
      },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(supervisor.tree().map(({ summary }) => summary?.status)).toEqual(["done", "done"]);
    await supervisor.close();
    process.off("warning", note);
    expect(warnings).toEqual([expect.stringContaining("the painter slipped")]);
  });

  const reply = (content: unknown): unknown => ({
    type: "reply",
    reply: { content, stopReason: "end_turn", usage: noUsage, model: "m", apiMs: 0 },
  });
  test.each([
    ["nothing", undefined],
    ["something that cannot be copied", reply([{ type: "text", text: "hi", citations: () => {} }])],
    ["no list of blocks", reply(7)],
    ["a reply without its parts", { type: "reply" }],
  ])("a model client that answers %s fails its agent, and no other", async (_what, answer) => {
    const fine = { ...(reply([{ type: "text", text: "fine", citations: null }]) as ModelOutcome) };
    const client: ModelClient = {
      name: "own",
      ask: async ({ messages }) =>
        JSON.stringify(messages).includes("nonsense") ? (answer as ModelOutcome) : fine,
    };
    const { supervisor } = supervised(host, [], { source: { provider: "client", client } });
    const [bad, good] = await Promise.all([
      supervisor.spawn({ prompt: "nonsense" }),
      supervisor.spawn({ prompt: "sense" }),
    ]);
    expect(bad.summary).toMatchObject({ status: "failed", reason: expect.stringMatching(/\w/) });
    expect(good.summary).toMatchObject({ status: "done", text: "fine" });
  });

  test("a tool may throw anything, return nothing, or block without end", async () => {
    const reached = Promise.withResolvers<void>();
    const odd = defineTool({
      runsIn: "caller",
      name: "Odd",
      description: "Does what it is told.",
      inputSchema: z.object({ how: z.string(), list: z.optional(z.array(z.string())) }),
      permissionLevel: "read",
      call: async (input): Promise<unknown> => {
        switch (input.how) {
          case "throw a string":
            throw "a string";
          case "throw nothing":
            throw undefined;
          case "change its input":
            input.list?.push("changed");
            return input.list;
          case "return a function":
            return () => {};
          case "for ever":
            reached.resolve();
            return new Promise(() => {});
          default:
            return undefined;
        }
      },
    });
    const ways = [
      "throw a string",
      "throw nothing",
      "change its input",
      "return a function",
      "return nothing",
    ];
    const { supervisor, model } = supervised(
      host,
      (request, n) => {
        if (JSON.stringify(request.messages[0]).includes("for ever"))
          return { text: "I wait.", calls: [{ name: "Odd", input: { how: "for ever" } }] };
        return n === 0
          ? { calls: ways.map((how) => ({ name: "Odd", input: { how, list: ["given"] } })) }
          : { text: "ok" };
      },
      {
        tools: [odd],
        agents: [{ name: "Odd", whenToUse: "never", prompt: "", tools: ["Odd"] }],
        limits: { graceMs: 500 },
      },
    );
    expect((await supervisor.spawn({ type: "Odd", prompt: "go" })).summary.status).toBe("done");
    const { messages = [] } = model.requests[1] ?? {};
    const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const said = blocks.flatMap((block) => (block.type === "tool_result" ? [block.content] : []));
    expect(said).toEqual([
      "Odd failed: a string",
      "Odd failed: undefined",
      '["given","changed"]',
      "done",
      "done",
    ]);
    const uses = blocks.flatMap((block) => (block.type === "tool_use" ? [block.input] : []));
    expect(uses[2]).toEqual({ how: "change its input", list: ["given"] });

    const waits = supervisor.spawn({ type: "Odd", prompt: "for ever" });
    await reached.promise;
    for (const { id } of supervisor.tree()) supervisor.cancel(id, "Enough.");
    expect((await waits).summary).toMatchObject({ status: "cancelled", text: "I wait.", reason: "Enough." });
  });

  test("a host that cannot start an agent is one failed agent", async () => {
    const broken: ActorHost = {
      start() {
        throw new Error("no room for a thread");
      },
      warm() {},
      load: () => ({ threads: 0, waiting: 0 }),
      close: async () => {},
    };
    const { supervisor } = supervised(host, [], { host: broken });
    expect((await supervisor.spawn({ prompt: "go" })).summary).toMatchObject({
      status: "failed",
      reason: "It could not be started: no room for a thread.",
    });
    expect((await supervisor.prompt("go")).summary.status).toBe("failed");
  });
});
