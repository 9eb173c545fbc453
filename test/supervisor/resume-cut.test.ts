import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalRecord } from "../../src/journal/session-events.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { everyNth } from "../support/long.ts";
import {
  broken,
  cutAfter,
  journalOf,
  recorded,
  recordsOf,
  repliesIn,
  stamping,
  takenUp,
  taskOf,
  textsOf,
  whyInvalid,
  worker,
  world,
} from "./resume-world.ts";

const stamp = (mark: string) => ({ name: "Stamp", input: { mark } });
const agent = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: prompt, prompt, subagent_type: "worker", ...more },
});
const LOG = "log.txt";
const append = (mark: string) => ({ name: "Bash", input: { command: `echo ${mark} >> ${LOG}` } });
const todo = {
  name: "TodoWrite",
  input: { todos: [{ content: "go on", activeForm: "Going on", status: "in_progress" }] },
};
const task = { name: "TaskCreate", input: { subject: "one task", description: "d", activeForm: "Doing" } };

const depth = { maxDepth: 3 };

/** What each does follows from its conversation alone, as a replay needs it. */
function turnOf(request: ModelRequest): ScriptedTurn {
  const replies = repliesIn(request);
  switch (taskOf(request)) {
    case "go":
      if (replies === 0) return { calls: [todo, task, stamp("m1"), append("bash1")] };
      if (replies === 1)
        return { calls: [agent("front"), agent("behind", { run_in_background: true }), stamp("m2")] };
      if (replies === 2) return { text: "half way", calls: [stamp("m3")] };
      return { text: textsOf(request).includes("<task-notification>") ? "heard" : "answered" };
    case "front":
      if (replies === 0) return { calls: [agent("nested"), stamp("f1")] };
      return { text: "report of front" };
    case "behind":
      if (replies === 0) return { calls: [agent("behind behind", { run_in_background: true }), stamp("b1")] };
      return { text: "report of behind" };
    default:
      return replies === 0 ? { calls: [stamp(taskOf(request))] } : { text: `report of ${taskOf(request)}` };
  }
}

function tasksIn(records: readonly JournalRecord[]): number {
  return records.filter(({ event }) => event.type === "task").length;
}

const MARKS = ["m1", "m2", "m3", "f1", "b1", "nested", "behind behind"];

test("a session that is cut off after any record goes on to its end, and does nothing twice (C23, D1, A19.10)", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const first = world("in-thread", turnOf, { tools: [stamping([])], limits: depth });
  await first.supervisor.prompt("go");
  await first.supervisor.close();
  const whole = recorded(first);
  expect(broken(recordsOf(whole.lines))).toEqual([]);

  const wrong: object[] = [];
  const cuts = everyNth(
    whole.lines.map((_, at) => at + 1),
    4,
  );
  for (const count of cuts) {
    const before = recordsOf(whole.lines.slice(0, count));
    const begun = before.flatMap(({ event }) =>
      event.type === "before" && event.decision === "go" && event.tool !== "Agent" ? [event.input] : [],
    );
    rmSync(join(first.cwd, LOG), { force: true });
    const marks: string[] = [];
    const again = await takenUp("in-thread", turnOf, {
      ...{ id: whole.id, home: cutAfter(whole, count), tools: [stamping(marks)], agents: [worker] },
      ...{ limits: depth, seed: count },
    });
    const result = await again.supervisor.resumeUnfinished();
    if (!before.some(({ event }) => event.type === "spawn")) {
      expect(result).toBeNull();
      await again.supervisor.prompt("go");
    }
    await again.supervisor.close();
    const records = await journalOf(again);
    const bashed = existsSync(join(first.cwd, LOG)) ? readFileSync(join(first.cwd, LOG), "utf8") : "";
    const left = (all: readonly string[]) =>
      all.filter((mark) => !begun.some((input) => JSON.stringify(input).includes(`${mark}"`)));
    const cut = `cut after record ${count}, ${JSON.stringify(before.at(-1)?.event).slice(0, 160)}`;
    const seen = {
      broken: broken(records),
      invalid: again.model.requests.flatMap(({ messages }) => whyInvalid(messages) ?? []),
      // Else the model is asked to go on with its own words.
      askedByUser: again.model.requests.every(({ messages }) => messages.at(-1)?.role === "user"),
      marks: marks.toSorted(),
      bashed: bashed.trim().split("\n").filter(Boolean).toSorted(),
      statuses: [...new Set(again.supervisor.tree().map(({ summary }) => summary?.status))],
      agents: again.supervisor.tree().length,
      tasks: tasksIn(records),
      warnings: again.warnings(),
    };
    const wanted = {
      broken: [],
      invalid: [],
      askedByUser: true,
      marks: left(MARKS).toSorted(),
      bashed: ["bash1"].filter((mark) => !JSON.stringify(begun).includes(mark)),
      statuses: ["done"],
      agents: 5,
      tasks: begun.some((input) => JSON.stringify(input).includes("one task")) ? tasksIn(before) : 1,
      warnings: [],
    };
    if (JSON.stringify(seen) !== JSON.stringify(wanted)) wrong.push({ cut, seen });
  }
  expect(wrong).toEqual([]);
});
