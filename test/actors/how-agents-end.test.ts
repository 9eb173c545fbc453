// @module-tag long
import { describe, expect, test } from "vitest";
import type { ActorHost } from "../../src/actors/hosts.ts";
import { leasingHost } from "../../src/actors/leasing-host.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { supervised } from "../support/supervised.ts";
import { MISBEHAVING } from "./pool-threads.ts";

const isMain = (request: ModelRequest) => request.actor === "main";

/** Threads that misbehave where a call says so. */
function host(entry = MISBEHAVING): ActorHost {
  return leasingHost({ entry, onFault: () => {} });
}

const asText = (request: ModelRequest) => String(request.messages[0]?.content);

/** An agent that is told to misbehave calls Glob with that; any other one answers. */
function agentTurn(request: ModelRequest) {
  const prompt = asText(request);
  if (prompt.startsWith("misbehave") && request.messages.length === 1)
    return { calls: [{ name: "Glob", input: { pattern: prompt } }] };
  return { text: `answer to ${prompt}` };
}

/** Eight agents, one of them told to misbehave. */
function eight(bad: string) {
  const prompts = Array.from({ length: 8 }, (_, n) => (n === 3 ? bad : `question ${n}`));
  return (request: ModelRequest, n: number) => {
    if (!isMain(request)) return agentTurn(request);
    if (n > 0) return { text: "all in" };
    return {
      calls: prompts.map((prompt) => ({
        name: "Agent",
        input: { description: "one of eight", prompt, subagent_type: "Explore" },
      })),
    };
  };
}

describe("an agent that dies among eight leaves seven good summaries and one typed failure (A20.2)", () => {
  test.each([
    ["misbehave: throw late", "failed", /broken/],
    ["misbehave: exit", "failed", /exited with code/],
    ["misbehave: reject", "failed", /nobody caught this/],
    ["misbehave: eat memory", "out_of_memory", /memory/],
  ] as const)("%s", { timeout: 60_000 }, async (bad, status, reason) => {
    const { supervisor, model } = supervised("worker threads", eight(bad), { host: host() });
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "done", text: "all in" });
    const agents = supervisor.tree().slice(1);
    expect(agents.map((agent) => agent.summary?.status)).toEqual(
      Array.from({ length: 8 }, (_, n) => (n === 3 ? status : "done")),
    );
    expect(agents[3]?.summary?.reason).toMatch(reason);
    const last = model.requests.filter(isMain).at(-1)?.messages.at(-1)?.content;
    expect(
      Array.isArray(last) && last.map((block) => block.type === "tool_result" && block.is_error === true),
    ).toEqual(Array.from({ length: 8 }, (_, n) => n === 3));
    // The next agents are not harmed by what happened before them.
    const again = await supervisor.spawn({ prompt: "one more" });
    expect(again.summary).toMatchObject({ status: "done", text: "answer to one more" });
  });

  test("a call that throws is a failed call, and its agent continues", async () => {
    const { supervisor } = supervised("worker threads", eight("unused"), { host: host() });
    const { summary } = await supervisor.spawn({ prompt: "misbehave: throw now" });
    expect(summary).toMatchObject({ status: "done", text: "answer to misbehave: throw now" });
  });

  test("an agent whose thread cannot start has a typed failure", async () => {
    const { supervisor } = supervised("worker threads", eight("unused"), {
      host: host(new URL("./no-such-worker.ts", import.meta.url)),
    });
    expect((await supervisor.spawn({ prompt: "misbehave: exit" })).summary.status).toBe("failed");
  });

  test("a thread that spins is ended after its grace, with a typed summary", async () => {
    const { supervisor } = supervised("worker threads", eight("unused"), {
      host: host(),
      limits: { graceMs: 50 },
    });
    const result = supervisor.spawn({ prompt: "misbehave: spin" });
    const id = supervisor.tree()[0]?.id;
    if (id) supervisor.cancel(id, "It does not move.");
    expect((await result).summary).toMatchObject({ status: "cancelled", reason: "It does not move." });
    expect((await supervisor.spawn({ prompt: "next" })).summary.status).toBe("done");
  });
});
