import { describe, expect, test } from "vitest";
import { callProgressText, tellProgress } from "../../../src/cli/mcp-serve/progress-notes.ts";
import type { AgentView } from "../../../src/events/event.ts";
import { actor, agentView } from "../../support/agent-view.ts";
import { FakeClock } from "../../support/fake-clock.ts";

function told(views: AgentView[], ids = views.map(({ id }) => id)) {
  const clock = new FakeClock();
  const listeners = new Set<() => void>();
  const notes: (readonly [number, string])[] = [];
  const stop = tellProgress({
    ...{ clock, views: () => views, ids: new Set(ids) },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell: (count, words) => notes.push([count, words]),
  });
  const change = (): void => {
    for (const listener of listeners) listener();
  };
  return { clock, notes, stop, change, listeners };
}

describe("progress of a call", () => {
  test("comes immediately, then at most twice a second, and its count grows", async () => {
    const { clock, notes, change } = told([agentView({ id: actor(1), description: "find it" })]);
    for (let count = 0; count < 10; count++) change();
    expect(notes).toEqual([[1, "Explore · find it"]]);
    await clock.advance(499);
    expect(notes).toHaveLength(1);
    await clock.advance(1);
    expect(notes).toHaveLength(2);
    await clock.advance(2_000);
    expect(notes).toHaveLength(2);
    change();
    expect(notes.map(([count]) => count)).toEqual([1, 2, 3]);
  });

  test("comes every ten seconds if nothing changes: clients give up on a silent call", async () => {
    const { clock, notes, change } = told([agentView({ id: actor(1) })]);
    change();
    await clock.advance(35_000);
    expect(notes.map(([count]) => count)).toEqual([1, 2, 3, 4]);
  });

  test("ends with the call, and leaves no timer", async () => {
    const { clock, notes, change, stop, listeners } = told([agentView({ id: actor(1) })]);
    change();
    stop();
    await clock.advance(60_000);
    expect({ notes: notes.length, pending: clock.pending, listeners: listeners.size }).toEqual({
      ...{ notes: 1, pending: 0, listeners: 0 },
    });
  });

  test("starts with the first agent, and reports its first change immediately", () => {
    const views: AgentView[] = [];
    const { notes, change } = told(views, [actor(1)]);
    change();
    expect(notes).toEqual([]);
    views.push(agentView({ id: actor(1), description: "find it" }));
    change();
    expect(notes).toEqual([[1, "Explore · find it"]]);
  });
});

describe("its text", () => {
  const at = (number: number, change: Partial<AgentView> = {}) =>
    agentView({ id: actor(number), description: `task ${number}`, ...change });
  const words = (views: readonly AgentView[], own: readonly number[]) =>
    callProgressText(views, new Set(own.map(actor)), 0);

  test("counts what has ended, and names only a few agents that work and their descendants", () => {
    const views = [
      at(1, { state: "ended" }),
      at(2, { activity: { type: "tool", tool: "Grep", title: "wire" } }),
      at(3, { parent: actor(2), depth: 2, activity: { type: "model" } }),
      at(4, { state: "queued" }),
      at(5),
    ];
    expect(words(views, [1, 2, 4])).toBe(
      "1 of 3 agents ended; Explore · task 2: Grep wire; Explore · task 3: asking the model; 1 queued",
    );
    expect(words(views, [9])).toBeNull();
  });

  test("stays short for many agents", () => {
    const views = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => at(number));
    expect(words(views, [1, 2, 3, 4, 5, 6, 7, 8])).toMatch(/^0 of 8 agents ended; .*; 5 more at work$/);
  });
});
