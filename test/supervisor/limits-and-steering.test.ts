import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { journalFile } from "../../src/journal/paths.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { sessionStateOf } from "../../src/journal/session-state.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { shippedHosts, supervised } from "../support/supervised.ts";

const tick = defineTool({
  runsIn: "caller",
  name: "Tick",
  description: "Does nothing.",
  inputSchema: z.object({}),
  permissionLevel: "read",
  call: async () => "tock",
});
const calls = [{ name: "Tick", input: {} }];

function saidTo(request: ModelRequest | undefined): string {
  return JSON.stringify(request?.messages.filter(({ role }) => role === "user"));
}

/** A promise that a script can wait for, and the moment in which the script begins to wait. */
function gate() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const after = () => {
    reached.resolve();
    return opened.promise;
  };
  return { after, reached: reached.promise, open: opened.resolve };
}

describe.each(shippedHosts)("limits and steering, %s", (host) => {
  test("an agent over its token budget writes its summary and ends over_budget", async () => {
    const { supervisor } = supervised(
      host,
      (request) =>
        request.withoutTools
          ? { text: "as far as I got", usage: { output_tokens: 5 } }
          : { text: "more", calls, usage: { input_tokens: 90, output_tokens: 10 } },
      { tools: [tick], agents: [{ name: "Ticker", whenToUse: "ticks", prompt: "Tick.", tools: ["Tick"] }] },
    );
    const { summary } = await supervisor.spawn({ type: "Ticker", prompt: "tick", tokenBudget: 250 });
    expect(summary).toMatchObject({ status: "over_budget", text: "as far as I got", turns: 4 });
    expect(summary.reason).toMatch(/300 of its 250 tokens/);
  });

  test("an agent past its deadline ends timed_out, with what it said before", async () => {
    const hold = gate();
    const DEADLINE = 900_000;
    let passDeadline = () => {};
    const clock: Clock = {
      ...systemClock,
      after(ms, call) {
        if (ms !== DEADLINE) return systemClock.after(ms, call);
        passDeadline = call;
        return () => {};
      },
    };
    const { supervisor } = supervised(
      host,
      (_request, n) => (n === 0 ? { text: "one moment", calls } : { after: hold.after }),
      {
        tools: [tick],
        agents: [{ name: "Ticker", whenToUse: "ticks", prompt: "Tick.", tools: ["Tick"] }],
        clock,
      },
    );
    const result = supervisor.spawn({ type: "Ticker", prompt: "tick", timeoutMs: DEADLINE });
    await hold.reached;
    passDeadline();
    const { summary } = await result;
    expect(summary).toMatchObject({ status: "timed_out", text: "one moment" });
    expect(summary.reason).toMatch(/within 900000 ms/);
  });

  test("what is said to a busy agent enters its next turn", async () => {
    const hold = gate();
    const { supervisor, model } = supervised(
      host,
      (_request, n) => (n === 0 ? { calls, after: hold.after } : { text: "heard" }),
      { tools: [tick] },
    );
    const result = supervisor.prompt("go");
    await hold.reached;
    expect(supervisor.send(MAIN, "and be brief")).toBe("queued");
    hold.open();
    expect((await result).summary.status).toBe("done");
    expect(saidTo(model.requests[1])).toContain("and be brief");
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test("what is said while an agent writes its last reply is not lost: it goes round again", async () => {
    const hold = gate();
    const { supervisor, model } = supervised(host, (_request, n) =>
      n === 0 ? { text: "the end?", after: hold.after } : { text: "the real end" },
    );
    const result = supervisor.prompt("go");
    await hold.reached;
    supervisor.send(MAIN, "one more thing");
    hold.open();
    expect((await result).summary).toMatchObject({ status: "done", text: "the real end", turns: 2 });
    expect(saidTo(model.requests[1])).toContain("one more thing");
  });

  test("what the user withdraws before an agent has read it is not heard, now or after a restart (issue 21, 5)", async () => {
    const hold = gate();
    const { supervisor, model, events } = supervised(
      host,
      (_request, n) => (n === 0 ? { calls, after: hold.after } : { text: "done" }),
      { tools: [tick] },
    );
    const result = supervisor.prompt("go");
    await hold.reached;
    supervisor.send(MAIN, "stop that");
    supervisor.send(MAIN, "and that");
    expect(supervisor.unsend(MAIN)).toEqual(["stop that", "and that"]);
    expect(supervisor.unsend(MAIN)).toEqual([]);
    supervisor.send(MAIN, "be brief");
    hold.open();
    expect((await result).summary.status).toBe("done");
    expect(saidTo(model.requests[1])).not.toContain("that");
    expect(saidTo(model.requests[1])).toContain("be brief");
    expect(
      events.flatMap((event) => (event.type === "queued" ? [`${event.text}: ${event.state}`] : [])),
    ).toEqual([
      ...["stop that: waits", "and that: waits", "stop that: withdrawn", "and that: withdrawn"],
      ...["be brief: waits", "be brief: read"],
    ]);
    await supervisor.close();
    const reading = await readJournal(journalFile(supervisor.folder));
    if (reading.type === "refused") throw new Error(reading.reason);
    expect(sessionStateOf(reading.records).actors.get(MAIN)?.unheard).toEqual([]);
  });

  test("an ended or unknown address is said, not swallowed (C27)", async () => {
    const { supervisor } = supervised(host, [{ text: "bye" }]);
    const { id } = await supervisor.spawn({ prompt: "hi" });
    expect(supervisor.send(id, "are you there?")).toBe("ended");
    expect(supervisor.send(ActorId.parse("nobody"), "hello?")).toBe("unknown");
  });
});
