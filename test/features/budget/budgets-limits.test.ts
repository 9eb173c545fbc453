import { expect, test } from "vitest";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import { repliesIn, taskOf, textsOf } from "../../supervisor/resume-world.ts";
import { byTask, paying, start } from "./coins.ts";

const many = (count: number, wave: string, type = "worker") =>
  Array.from({ length: count }, (_, at) => start(type, `${wave}${at}`));
const leaf = (): ScriptedTurn => ({ text: "done" });

test("128 Agent calls in one reply, and more than 256 agents in a session, are admitted without a word (C6)", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const { supervisor, model, warnings } = paying((request) => {
    const task = taskOf(request);
    if (task !== "go" && task !== "manage 0") return leaf();
    if (repliesIn(request) > 0) return { text: `${task}: all done` };
    return { calls: task === "go" ? [...many(127, "task "), ...many(1, "manage ")] : many(130, "below ") };
  });
  const { summary } = await supervisor.prompt("go");
  expect(summary).toMatchObject({ status: "done", text: "go: all done" });
  const agents = supervisor.tree().slice(1);
  expect(agents).toHaveLength(258);
  expect(agents.filter((agent) => agent.summary?.status !== "done")).toEqual([]);
  expect(textsOf(model.requests.at(-1) ?? never())).not.toContain("not started");
  expect(warnings()).toEqual([]);
});

test("one more than an agent may start is a sentence; those that may are started", async () => {
  const { supervisor, model } = paying(
    (request) =>
      taskOf(request) !== "go"
        ? leaf()
        : repliesIn(request) === 0
          ? { calls: many(4, "t") }
          : { text: "all done" },
    { limits: { maxChildren: 3 } },
  );
  expect((await supervisor.prompt("go")).summary.status).toBe("done");
  expect(supervisor.tree()).toHaveLength(4);
  expect(textsOf(model.requests.at(-1) ?? never())).toContain(
    "This agent was not started: you have started 3 agents, and may start 3 (troupe.maxChildren).",
  );
});

test("agents of a session are counted wherever they were started, ended or not", async () => {
  const { supervisor, model } = paying(
    byTask({
      go: [
        () => ({ calls: many(2, "manage ") }),
        () => ({ calls: many(1, "late ") }),
        () => ({ text: "all done" }),
      ],
      "manage 0": [() => ({ calls: many(1, "below ") }), leaf],
      "manage 1": [leaf],
      "below 0": [leaf],
    }),
    { limits: { maxAgentsPerSession: 3, maxDepth: 3 } },
  );
  expect((await supervisor.prompt("go")).summary.text).toBe("all done");
  expect(supervisor.tree()).toHaveLength(4);
  expect(textsOf(model.requests.at(-1) ?? never())).toContain(
    "This agent was not started: this session has started 3 agents, and may start 3 (troupe.maxAgentsPerSession).",
  );
});

test("agents at the deepest level have no tool to start others and know it; the others know their limits", async () => {
  const { supervisor, model } = paying(
    byTask({
      go: [() => ({ calls: many(1, "manage ") }), () => ({ text: "all done" })],
      "manage 0": [() => ({ calls: many(1, "below ") }), leaf],
      "below 0": [leaf],
    }),
    { limits: { maxDepth: 2, maxChildren: 77, maxTurns: 9 } },
  );
  await supervisor.prompt("go");
  const asked = (task: string) => model.requests.find((request) => taskOf(request) === task) ?? never();
  const told = (task: string) => asked(task).system.join("\n");
  expect(told("manage 0")).toContain(
    "You are an agent at depth 1 of 2: you may start 77 agents; they can start none.",
  );
  expect(told("below 0")).toContain(
    "You are an agent at depth 2 of 2: you start no agents, the task is yours alone.",
  );
  expect(told("below 0")).toContain("Your limit is 9 turns");
  expect(asked("below 0").tools.map(({ name }) => name)).toEqual(["Tick"]);
});

test("agents know the budget of their definition", async () => {
  const { supervisor, model } = paying([{ text: "done" }], {
    agents: [
      {
        name: "saver",
        whenToUse: "never",
        prompt: "Save.",
        tools: ["Tick"],
        budget: { usd: 7, ms: 600_000 },
      },
    ],
  });
  await supervisor.spawn({ type: "saver", prompt: "go" });
  expect(model.requests[0]?.system.join("\n")).toContain("Your limit is 100 turns, $7.00 and 10 min");
});

function never(): never {
  throw new Error("There was no request.");
}

test("the main conversation knows how many agents it may start, and its limits", async () => {
  const { supervisor, model } = paying([{ text: "done" }], {
    limits: { maxChildren: 77 },
    budget: { usd: 9 },
  });
  await supervisor.prompt("go");
  const told = model.requests[0]?.system.join("\n");
  expect(told).toContain("You are at depth 0 of 2: you may start 77 agents.");
  expect(told).toContain("Your limit is 100 turns and $9.00 in all, with the agents you start");
});
