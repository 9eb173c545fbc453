import { describe, expect, test } from "vitest";
import type { ActorHost } from "../../src/actors/hosts.ts";
import { threadHost } from "../../src/actors/thread-host.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { supervised } from "../support/supervised.ts";
import { MISBEHAVING } from "./bare-actors.ts";

const missing = new URL("./no-such-worker.ts", import.meta.url).href;

const isMain = (request: ModelRequest) => request.actor === "main";

/** Threads that misbehave where their prompt says so; `cannot start` runs a file that does not exist. */
function host(): ActorHost {
  const faults: string[] = [];
  const onFault = (message: string) => faults.push(message);
  const good = threadHost({ maxThreads: 32, entry: MISBEHAVING, onFault });
  const broken = threadHost({ maxThreads: 4, entry: missing, onFault });
  return {
    start: (start) =>
      (JSON.stringify(start.spec.messages).includes("cannot start") ? broken : good).start(start),
    warm: (count) => good.warm(count),
    load: () => good.load(),
    close: async () => {
      await Promise.all([good.close(), broken.close()]);
    },
  };
}

/** Eight agents, one of them told to misbehave. */
function eight(bad: string) {
  const prompts = Array.from({ length: 8 }, (_, n) => (n === 3 ? bad : `question ${n}`));
  return (request: ModelRequest, n: number) => {
    if (!isMain(request)) return { text: `answer to ${String(request.messages[0]?.content)}` };
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
    ["misbehave: throw now", "failed", /died|threw|broken/],
    ["misbehave: throw late", "failed", /broken/],
    ["misbehave: exit", "failed", /exited with code/],
    ["misbehave: reject", "failed", /nobody caught this/],
    ["misbehave: return", "failed", /without a summary/],
    ["misbehave: uncloneable", "failed", /./],
    ["cannot start", "failed", /./],
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
