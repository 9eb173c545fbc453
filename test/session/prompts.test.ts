import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { ActorHost, Exit } from "../../src/actors/hosts.ts";
import type { AgentResult } from "../../src/events/agent-result.ts";
import type { SupervisorEvent } from "../../src/events/event.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { noReceipts } from "../../src/mailbox/turns.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { everyDayHosts, supervised } from "../support/supervised.ts";

const broken = { failure: { kind: "server", message: "The server broke." } } as const;
const tick = defineTool({
  runsIn: "caller",
  name: "Tick",
  description: "Does nothing.",
  inputSchema: z.object({}),
  permissionLevel: "read",
  call: async () => "tock",
});

const GRACE_MS = 1_234;

const heardIn = (request: ModelRequest | undefined) =>
  JSON.stringify(request?.messages.filter(({ role }) => role === "user"));

describe.each(everyDayHosts)("one prompt after another, %s", (host) => {
  test("what a person said to a run that failed is still there in the next one", async () => {
    const { supervisor, model } = supervised(host, [{ text: "one" }, broken, broken, { text: "two" }]);
    await supervisor.prompt("first");
    await supervisor.prompt("the file is a.ts");
    await supervisor.prompt("line 7");
    await supervisor.prompt("now go on");
    expect(model.requests[3]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    for (const words of ["the file is a.ts", "line 7", "now go on"])
      expect(heardIn(model.requests[3])).toContain(words);
  });

  test("nor is lost what was said to a busy conversation that failed before its next turn", async () => {
    const reached = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    const after = () => {
      reached.resolve();
      return opened.promise;
    };
    const { supervisor, model } = supervised(
      host,
      [{ calls: [{ name: "Tick", input: {} }], after }, broken, { text: "ok" }],
      { tools: [tick] },
    );
    const result = supervisor.prompt("go");
    await reached.promise;
    supervisor.send(MAIN, "and be brief");
    opened.resolve();
    await result;
    await supervisor.prompt("again");
    expect(heardIn(model.requests[2])).toContain("and be brief");
    expect(heardIn(model.requests[2]).match(/and be brief/g)).toHaveLength(1);
  });

  test("the answer to an earlier prompt is not given for a later one", async () => {
    const { supervisor } = supervised(host, [{ text: "It is 42." }, broken, {}]);
    await supervisor.prompt("how much?");
    expect((await supervisor.prompt("why?")).summary).toMatchObject({ status: "failed", text: "" });
    expect((await supervisor.prompt("why?")).summary).toMatchObject({ status: "failed", text: "" });
  });

  test("a prompt that comes the moment the last one has ended gets its own summary, and so does that", async () => {
    let next: Promise<AgentResult> | undefined;
    const onEvent = (event: SupervisorEvent) => {
      if (event.type === "agent" && event.view.state === "ended") next ??= supervisor.prompt("second");
    };
    const { supervisor } = supervised(host, [{ text: "one" }, { text: "two" }], { onEvent });
    expect((await supervisor.prompt("first")).summary.text).toBe("one");
    expect((await next)?.summary.text).toBe("two");
  });

  test("of two prompts together the second is refused and the first is answered", async () => {
    const { supervisor } = supervised(host, [{ text: "one" }]);
    const first = supervisor.prompt("first");
    await expect(supervisor.prompt("second")).rejects.toThrow("still busy");
    expect((await first).summary.text).toBe("one");
    await supervisor.close();
    await expect(supervisor.prompt("late")).rejects.toThrow("The session is closed.");
  });

  test("a prompt's time is its own, not that since the conversation began", async () => {
    let late = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + late };
    const { supervisor } = supervised(host, [{ text: "one" }, { text: "two" }], { clock });
    await supervisor.prompt("first");
    late = 3_600_000;
    expect((await supervisor.prompt("second")).durationMs).toBeLessThan(3_600_000);
  });
});

test("a thread that is stuck after its summary is ended, also when the next prompt has begun by then", async () => {
  const terminated: number[] = [];
  const graces: Array<() => void> = [];
  const clock: Clock = {
    ...systemClock,
    after: (ms, call) => {
      if (ms !== GRACE_MS) return systemClock.after(ms, call);
      graces.push(call);
      return () => {};
    },
  };
  // Gives its summary at once and is never heard of again.
  const host: ActorHost = {
    start({ spec, services }) {
      const exited = Promise.withResolvers<Exit>();
      const summary = { status: "done", text: "ok", turns: 1, usage: noUsage, receipts: noReceipts } as const;
      queueMicrotask(() => services.finish({ turn: null, summary }));
      return {
        cancel() {},
        watch() {},
        exited: exited.promise,
        vitals: () => ({ type: "unknown" }),
        terminate() {
          terminated.push(spec.attempt);
          exited.resolve({ type: "terminated" });
        },
      };
    },
    warm() {},
    load: () => ({ threads: 0, waiting: 0 }),
    close: async () => {},
  };
  const { supervisor } = supervised("in-thread", [], { host, clock, limits: { graceMs: GRACE_MS } });
  await supervisor.prompt("first");
  const second = supervisor.prompt("second");
  for (const over of graces) over();
  await second;
  expect(terminated).toContain(1);
});
