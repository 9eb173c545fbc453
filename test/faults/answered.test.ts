import { expect, test } from "vitest";
import type { ModelRequest } from "../../src/model/client.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import {
  broken,
  cutAfter,
  journalOf,
  recorded,
  recordsOf,
  repliesIn,
  takenUp,
  taskOf,
  textsIn,
  textsOf,
  world,
} from "../supervisor/resume-world.ts";

const agent = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: prompt, prompt, subagent_type: "worker", ...more },
});

/** Each answers while an agent of it works in the background, and hears of it afterwards. */
async function turnOf(
  request: ModelRequest,
  answered: (who: string) => void,
  until: (who: string) => Promise<void>,
): Promise<ScriptedTurn> {
  const task = taskOf(request);
  const told = textsOf(request).includes("<task-notification>");
  const replies = repliesIn(request);
  switch (task) {
    case "go":
      if (replies === 0) return { calls: [agent("front"), agent("behind", { run_in_background: true })] };
      answered(task);
      return { text: told ? "heard" : "answered" };
    case "front":
      if (replies === 0) return { calls: [agent("below", { run_in_background: true })] };
      answered(task);
      return { text: told ? "front heard" : "report of front" };
    default:
      if (replies === 0) return { calls: [{ name: "TodoWrite", input: { todos: [] } }] };
      await until(task === "below" ? "front" : "go");
      return { text: `report of ${task}` };
  }
}

test("who had answered when the program died is not asked again, and keeps what it had answered (D1, fault 38)", {
  timeout: 60_000,
}, async () => {
  const answers = new Map(["go", "front"].map((who) => [who, Promise.withResolvers<void>()]));
  const inOrder = (request: ModelRequest) =>
    turnOf(
      request,
      (who) => answers.get(who)?.resolve(),
      (who) => answers.get(who)?.promise ?? Promise.resolve(),
    );
  const first = world("in-thread", inOrder, { limits: { maxDepth: 3 } });
  const { text } = (await first.supervisor.prompt("go")).summary;
  expect(text).toContain("answered");
  await first.supervisor.close();
  const whole = recorded(first);
  const records = recordsOf(whole.lines);
  const cuts = records.flatMap(({ event }, n) =>
    event.type === "turn" && event.turn.messages.every(({ role }) => role === "assistant") ? [n + 1] : [],
  );
  // Main and front answer twice.
  expect(cuts).toHaveLength(6);
  for (const cut of cuts) {
    const again = await takenUp("in-thread", inOrder, {
      ...{ id: whole.id, home: cutAfter(whole, cut), limits: { maxDepth: 3 } },
    });
    expect(again.supervisor.unfinished().main).toBe(true);
    await again.supervisor.resumeUnfinished();
    await again.supervisor.close();
    const asked = again.model.requests.map(({ messages }) => messages.at(-1)?.role);
    expect(asked.filter((role) => role !== "user")).toEqual([]);
    const after = await journalOf(again);
    expect(broken(after)).toEqual([]);
    const ends = after.flatMap(({ event }) => (event.type === "summary" ? [event] : []));
    expect(ends.map(({ summary }) => summary.status)).toEqual(["done", "done", "done", "done"]);
    // Also what somebody had answered before it heard the news is part of its one summary.
    for (const { event } of records.slice(0, cut)) {
      if (event.type !== "turn" || event.turn.messages.length !== 1) continue;
      const summary = ends.find(({ actor }) => actor === event.actor)?.summary;
      expect(summary?.text).toContain(textsIn(event.turn.messages));
    }
  }
});

test.each([
  { stopReason: "refusal", status: "failed" },
  { stopReason: "incomplete", status: "partial" },
] as const)(
  "a reply that ended with $stopReason ends its agent as $status after a restart too (D1)",
  async ({ stopReason, status }) => {
    const play = (request: ModelRequest): ScriptedTurn => {
      if (taskOf(request) !== "go") return { text: "I cannot", stopReason };
      return repliesIn(request) === 0 ? { calls: [agent("front")] } : { text: "over" };
    };
    const first = world("in-thread", play);
    await first.supervisor.prompt("go");
    await first.supervisor.close();
    const whole = recorded(first);
    const cut = recordsOf(whole.lines).findIndex(
      ({ event }) => event.type === "turn" && textsIn(event.turn.messages) === "I cannot",
    );
    expect(cut).toBeGreaterThan(0);
    const again = await takenUp("in-thread", play, { id: whole.id, home: cutAfter(whole, cut + 1) });
    await again.supervisor.resumeUnfinished();
    await again.supervisor.close();
    const ends = (await journalOf(again)).flatMap(({ event }) => (event.type === "summary" ? [event] : []));
    expect(ends.map(({ summary }) => summary.status)).toEqual([status, "done"]);
    expect(ends[0]?.summary.reason).toBeDefined();
  },
);
