import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import { isLong } from "../../support/long.ts";
import { everyDayHosts, type Supervised, shippedHosts, supervised } from "../../support/supervised.ts";

const isMain = (request: ModelRequest) => request.actor === "main";
const promptOf = (request: ModelRequest) => String(request.messages[0]?.content);
const ask = (prompt: string, type = "Explore") => ({
  name: "Agent",
  input: { description: "look for it", prompt, subagent_type: type },
});

/** The main conversation asks for these agents at once, then ends; each agent answers by `answer`. */
function fanOut(prompts: readonly string[], answer: (prompt: string, n: number) => object) {
  return (request: ModelRequest, n: number) => {
    if (!isMain(request)) return answer(promptOf(request), n);
    return n === 0
      ? { text: "I ask around.", calls: prompts.map((prompt) => ask(prompt)) }
      : { text: "all in" };
  };
}

function reports(request: ModelRequest | undefined): string[] {
  const content = request?.messages.at(-1)?.content;
  if (!content || typeof content === "string") return [];
  return content.map((block) => {
    if (block.type !== "tool_result") return "";
    if (typeof block.content === "string") return block.content;
    return (block.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("\n");
  });
}

describe.each(shippedHosts)("fan-out, %s", (host) => {
  const isThreads = host === "worker threads";
  test.each(isThreads && !isLong ? [8] : [1, 8, 32, 100])(
    "%i agents: every summary arrives, in the order of the calls (A11.8, A20.5)",
    { tags: ["long"] },
    async (count) => {
      const prompts = Array.from({ length: count }, (_, n) => `question ${n}`);
      const { supervisor, model } = supervised(
        host,
        fanOut(prompts, (prompt) => ({ text: `answer to ${prompt}` })),
        { limits: { maxAgents: 8 } },
      );
      expect((await supervisor.prompt("go")).summary.status).toBe("done");
      const last = model.requests.filter(isMain).at(-1);
      expect(reports(last).map((report) => report.split("\n").at(-1))).toEqual(
        prompts.map((p) => `answer to ${p}`),
      );
      expect(supervisor.tree().filter(({ summary }) => summary?.status === "done")).toHaveLength(count + 1);
    },
  );

  test("three agents asked for in one reply overlap in time (A11.8)", { tags: ["long"] }, async () => {
    let arrived = 0;
    let open = () => {};
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { supervisor } = supervised(
      host,
      // No agent is answered before all three have asked: in turn, they would wait for ever.
      fanOut(["a", "b", "c"], () => {
        arrived += 1;
        if (arrived === 3) open();
        return { text: "met", after: all };
      }),
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
  });

  test("runs as many agents as there are slots, never more; the main conversation needs none", {
    tags: ["long"],
  }, async () => {
    let running = 0;
    let most = 0;
    let open = () => {};
    const full = new Promise<void>((resolve) => {
      open = resolve;
    });
    const prompts = Array.from({ length: 12 }, (_, n) => `q${n}`);
    const { supervisor } = supervised(
      host,
      fanOut(prompts, () => ({
        text: "x",
        after: async () => {
          running += 1;
          most = Math.max(most, running);
          if (running === 3) open();
          await full;
          running -= 1;
        },
      })),
      { limits: { maxAgents: 3 } },
    );
    await supervisor.prompt("go");
    expect(most).toBe(3);
  });

  test("a failing agent among others is a typed result; the others are whole", async () => {
    const { supervisor, model } = supervised(
      host,
      fanOut(["a", "bad", "c"], (prompt) =>
        prompt === "bad"
          ? { failure: { kind: "server", message: "The server broke." } }
          : { text: `found ${prompt}` },
      ),
    );
    await supervisor.prompt("go");
    const last = reports(model.requests.filter(isMain).at(-1));
    expect(last[0]).toContain("found a");
    expect(last[1]).toMatch(/failed \(The server broke\.\)/);
    expect(last[2]).toContain("found c");
    expect(supervisor.tree().map(({ summary }) => summary?.status)).toEqual([
      "done",
      "done",
      "failed",
      "done",
    ]);
  });

  test("nested agents finish on a single slot: a waiting one releases it", {
    tags: ["long"],
  }, async () => {
    const { supervisor } = supervised(
      host,
      (request, n) => {
        if (n > 0) return { text: "ok" };
        if (isMain(request))
          return { calls: [ask("outer", "general-purpose"), ask("outer", "general-purpose")] };
        if (promptOf(request) === "outer")
          return { calls: [ask("inner", "Explore"), ask("inner", "Explore")] };
        return { text: "inner done" };
      },
      { limits: { maxAgents: 1 } },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(supervisor.tree()).toHaveLength(7);
    expect(supervisor.tree().every(({ summary }) => summary?.status === "done")).toBe(true);
  });

  test("cancelling the main conversation ends everything below it, each with one summary", async () => {
    let waiting = 0;
    let all = () => {};
    const everyone = new Promise<void>((resolve) => {
      all = resolve;
    });
    const { supervisor } = supervised(
      host,
      fanOut(["a", "b", "c"], () => {
        waiting += 1;
        if (waiting === 3) all();
        return { after: new Promise(() => {}) };
      }),
    );
    const stop = new AbortController();
    const result = supervisor.prompt("go", stop.signal);
    await everyone;
    stop.abort();
    expect((await result).summary.status).toBe("cancelled");
    await supervisor.close();
    expect(supervisor.tree().map(({ summary }) => summary?.status)).toEqual(Array(4).fill("cancelled"));
  });

  test("closing a session in which agents run leaves none of them running", async () => {
    let asked = () => {};
    const started = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { supervisor } = supervised(host, () => {
      asked();
      return { after: new Promise(() => {}) };
    });
    const results = [supervisor.spawn({ prompt: "a" }), supervisor.spawn({ prompt: "b" })];
    await started;
    await supervisor.close();
    for (const { summary } of await Promise.all(results)) expect(summary.status).toBe("cancelled");
    await expect(supervisor.spawn({ prompt: "late" })).rejects.toThrow("The session is closed.");
  });
});

describe.each(everyDayHosts)("requests to agents and their results, %s", (host) => {
  test("keeps a child's tool output out of its parent's requests: it gets one summary (A11.1)", async () => {
    const session: Supervised = supervised(
      host,
      (request, n) => {
        if (isMain(request)) return n === 0 ? { calls: [ask("find the canary")] } : { text: "ok" };
        if (n === 0) return { calls: [{ name: "Read", input: { file_path: `${session.cwd}/canary.txt` } }] };
        return { text: "It is in canary.txt:1." };
      },
      { files: { "canary.txt": "CANARY-8261\n" } },
    );
    const { supervisor, model } = session;
    await supervisor.prompt("go");
    const child = model.requests.filter((request) => !isMain(request));
    const main = model.requests.filter(isMain);
    expect(JSON.stringify(child[1])).toContain("CANARY-8261");
    expect(JSON.stringify(main)).not.toContain("CANARY-8261");
    expect(main[1]?.messages).toHaveLength((main[0]?.messages.length ?? 0) + 2);
  });

  test("an unknown agent type is an error that lists the known ones (A11.2)", async () => {
    const { supervisor, model } = supervised(host, [{ calls: [ask("x", "Wizard")] }, { text: "ok" }]);
    await supervisor.prompt("go");
    expect(reports(model.requests[1])[0]).toMatch(/no agent type "Wizard".*Explore.*Plan.*code-reviewer/s);
  });

  test.each([
    ["explore", "Explore"],
    ["PLAN", "Plan"],
    ["Code Reviewer", "code-reviewer"],
    ["reviewer", "code-reviewer"],
    ["securityAudit", "security-audit"],
    ["general_purpose", "general-purpose"],
  ])("%s means %s, whatever its case and separators (A11.2, A22.27)", async (name, type) => {
    const { supervisor } = supervised(host, (request, n) =>
      isMain(request) && n === 0 ? { calls: [ask("x", name)] } : { text: "ok" },
    );
    await supervisor.prompt("go");
    expect(supervisor.tree()[1]?.type).toBe(type);
  });

  test("Task is another name for Agent (A3.28)", async () => {
    const { supervisor } = supervised(host, (request, n) =>
      isMain(request) && n === 0 ? { calls: [{ ...ask("x"), name: "Task" }] } : { text: "ok" },
    );
    await supervisor.prompt("go");
    expect(supervisor.tree()).toHaveLength(2);
  });

  test("at the depth limit the Agent tool is not offered (C6)", async () => {
    const { supervisor, model } = supervised(host, (request, n) => {
      if (n > 0) return { text: "ok" };
      return isMain(request) || promptOf(request) === "outer"
        ? { calls: [ask(isMain(request) ? "outer" : "inner", "general-purpose")] }
        : { text: "leaf" };
    });
    await supervisor.prompt("go");
    const offers = (prompt: string) =>
      model.requests.find((request) => promptOf(request) === prompt)?.tools.map(({ name }) => name);
    expect(offers("outer")).toContain("Agent");
    expect(offers("inner")).not.toContain("Agent");
  });

  test("the call's model wins over the session's, and the request carries the resolved id (A11.4)", async () => {
    const { supervisor, model } = supervised(
      host,
      (request, n) =>
        isMain(request) && n === 0
          ? {
              calls: [
                {
                  name: "Agent",
                  input: { description: "d", prompt: "p", subagent_type: "Explore", model: "haiku" },
                },
              ],
            }
          : { text: "ok" },
      { model: "opus", aliases: { haiku: "tiny-model-1" } },
    );
    await supervisor.prompt("go");
    expect(model.requests[0]?.model).toMatch(/^claude-opus/);
    expect(model.requests[1]?.model).toBe("tiny-model-1");
  });
});
