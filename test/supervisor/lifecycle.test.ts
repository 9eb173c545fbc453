import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { noReceipts } from "../../src/mailbox/turns.ts";
import {
  type ActorEvent,
  type Lifecycle,
  type LifecycleEffect,
  queued,
  transition,
} from "../../src/supervisor/lifecycle.ts";

const summary = { status: "done" as const, text: "found", turns: 1, usage: noUsage, receipts: noReceipts };
const stop = { status: "cancelled" as const, reason: "not needed" };

const anyEvent: fc.Arbitrary<ActorEvent> = fc.constantFrom<ActorEvent>(
  { type: "slot" },
  { type: "alive" },
  { type: "wait" },
  { type: "waited" },
  { type: "idle" },
  { type: "summary", summary },
  { type: "exit", exit: { type: "returned" } },
  { type: "exit", exit: { type: "died", message: "exited with code 1" } },
  { type: "exit", exit: { type: "threw", message: "boom" } },
  { type: "exit", exit: { type: "out-of-memory" } },
  { type: "exit", exit: { type: "terminated" } },
  { type: "not-started", reason: "no thread" },
  { type: "stop", stop },
  { type: "stop", stop: { status: "timed_out", reason: "too slow" } },
  { type: "grace-over" },
);

function play(events: readonly ActorEvent[]): { child: Lifecycle; effects: LifecycleEffect[] } {
  let child = queued;
  const effects: LifecycleEffect[] = [];
  for (const event of events) {
    const next = transition(child, event);
    child = next.next;
    effects.push(...next.effects);
  }
  return { child, effects };
}

const count = (effects: readonly LifecycleEffect[], type: LifecycleEffect["type"]) =>
  effects.filter((e) => e.type === type).length;

describe("the life of an agent", () => {
  test("any order of events ends in at most one summary, and `ended` means exactly one (promise 1, A20.3)", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        const { child, effects } = play(events);
        expect(count(effects, "end")).toBe(child.state === "ended" ? 1 : 0);
      }),
      { seed: 1, numRuns: 5000 },
    );
  });

  test("a thread that is gone always means an end: nothing runs without limit", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
        const { child } = play([...events, { type: "exit", exit: { type: "terminated" } }]);
        expect(child.state).toBe("ended");
      }),
      { seed: 2, numRuns: 2000 },
    );
  });

  test("a stop and its grace always end an agent, whatever it is doing", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
        const { child } = play([...events, { type: "stop", stop }, { type: "grace-over" }]);
        expect(child.state).toBe("ended");
      }),
      { seed: 3, numRuns: 2000 },
    );
  });

  test("every slot that was granted is given back exactly once by the end (C22)", () => {
    // A line that grants only what was asked for, in any interleaving with everything else.
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        let child = queued;
        let asked = 1;
        let granted = 0;
        let released = 0;
        const apply = (event: ActorEvent) => {
          const { next, effects } = transition(child, event);
          child = next;
          asked += count(effects, "return-to-line");
          asked -= Math.min(asked, count(effects, "leave-line"));
          released += count(effects, "release-slot");
        };
        for (const event of events) {
          if (event.type !== "slot") apply(event);
          else if (asked > 0) {
            asked -= 1;
            granted += 1;
            apply(event);
          }
          expect(granted - released).toBeGreaterThanOrEqual(0);
          expect(granted - released).toBeLessThanOrEqual(1);
        }
        apply({ type: "exit", exit: { type: "returned" } });
        expect(granted).toBe(released);
      }),
      { seed: 4, numRuns: 5000 },
    );
  });

  test("a call that waits always continues in the end", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        let child = queued;
        let owed = 0;
        const apply = (event: ActorEvent) => {
          if (event.type === "waited") owed += 1;
          const { next, effects } = transition(child, event);
          child = next;
          // One `go-on` lets everything go that waits at that moment.
          if (count(effects, "return-to-calls") > 0) owed = 0;
        };
        for (const event of [{ type: "slot" }, { type: "alive" }, ...events] as ActorEvent[]) apply(event);
        apply({ type: "slot" });
        apply({ type: "exit", exit: { type: "returned" } });
        expect(owed).toBe(0);
      }),
      { seed: 5, numRuns: 5000 },
    );
  });

  test("an agent that waits gives its slot back and takes one again before it goes on", () => {
    const { child, effects } = play([
      { type: "slot" },
      { type: "alive" },
      { type: "wait" },
      { type: "waited" },
    ]);
    expect(child.state).toBe("returning");
    expect(effects.map((e) => e.type)).toEqual(["start", "release-slot", "return-to-line"]);
    expect(transition(child, { type: "slot" })).toEqual({
      next: { state: "running" },
      effects: [{ type: "return-to-calls" }],
    });
  });

  test("an idle agent has no thread, and a stop ends it immediately", () => {
    const { child, effects } = play([{ type: "slot" }, { type: "alive" }, { type: "idle" }]);
    expect(child).toEqual({ state: "waiting", waits: 1, passive: true });
    expect(effects.map((e) => e.type)).toEqual(["start", "release-slot", "release-loop"]);
    expect(transition(child, { type: "stop", stop }).effects).toEqual([
      { type: "end", end: { by: "runtime", ...stop } },
    ]);
  });

  test("nothing that comes after the end is a change that anybody need hear of", () => {
    const { child } = play([{ type: "slot" }, { type: "alive" }, { type: "summary", summary }]);
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(transition(child, event).next).toBe(child);
      }),
      { seed: 6 },
    );
  });

  test("while one of several waits goes on, the agent keeps waiting", () => {
    const { child, effects } = play([
      { type: "slot" },
      { type: "wait" },
      { type: "wait" },
      { type: "wait" },
      { type: "waited" },
    ]);
    expect(child).toEqual({ state: "waiting", waits: 2, passive: false });
    expect(effects.at(-1)).toEqual({ type: "return-to-calls" });
  });

  test("cancelling has two steps: a letter, then the thread is ended", () => {
    const asked = play([{ type: "slot" }, { type: "alive" }, { type: "stop", stop }]);
    expect(asked.effects.slice(1)).toEqual([
      { type: "send-cancel", reason: "not needed" },
      { type: "arm-grace" },
    ]);
    expect(transition(asked.child, { type: "grace-over" }).effects).toEqual([
      { type: "release-slot" },
      { type: "end", end: { by: "runtime", ...stop } },
      { type: "terminate" },
    ]);
  });

  test("a summary that is written in time counts, also while the agent is being stopped", () => {
    const { effects } = play([{ type: "slot" }, { type: "stop", stop }, { type: "summary", summary }]);
    expect(effects).toContainEqual({ type: "end", end: { by: "agent", summary } });
  });

  test("an agent that is stopped before it had a slot leaves the line and starts nothing", () => {
    const { child, effects } = play([{ type: "stop", stop }, { type: "slot" }]);
    expect(child.state).toBe("ended");
    expect(effects.map((e) => e.type)).toEqual(["leave-line", "end", "release-slot"]);
  });

  test.each([
    [{ type: "out-of-memory" }, "out_of_memory"],
    [{ type: "died", message: "exited with code 3" }, "failed"],
    [{ type: "threw", message: "boom" }, "failed"],
    [{ type: "returned" }, "failed"],
    [{ type: "terminated" }, "cancelled"],
  ] as const)("a thread that parts with %j ends as %s, with a reason", (exit, status) => {
    const { effects } = play([{ type: "slot" }, { type: "alive" }, { type: "exit", exit }]);
    expect(effects.at(-1)).toMatchObject({ type: "end", end: { by: "runtime", status } });
    expect(effects.at(-1)).toHaveProperty("end.reason", expect.stringMatching(/\w/));
  });

  test("a stuck thread is retired after its summary, and a clean one is not", () => {
    const stuck = play([{ type: "slot" }, { type: "summary", summary }, { type: "grace-over" }]);
    expect(count(stuck.effects, "terminate")).toBe(1);
    const clean = play([
      { type: "slot" },
      { type: "summary", summary },
      { type: "exit", exit: { type: "returned" } },
    ]);
    expect(count(clean.effects, "terminate")).toBe(0);
  });
});
