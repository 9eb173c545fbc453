import { describe, expect, test } from "vitest";
import { journalFile } from "../../../src/journal/paths.ts";
import { readJournal } from "../../../src/journal/reader.ts";
import { sessionStateOf } from "../../../src/journal/session-state.ts";
import { afterChange, noTasks, type TaskChange } from "../../../src/journal/task-graph.ts";
import { callId, MAIN } from "../../../src/mailbox/ids.ts";
import { taskTools } from "../../../src/tools/session-tools.ts";
import type { TaskStore } from "../../../src/tools/tasks/task-tools.ts";
import { definitionOf } from "../../support/definition-of.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";

const string = { type: "string" };
const strings = { type: "array", items: string };

/** The four tools over a list in memory. */
function taskList() {
  let graph = noTasks;
  const changes: TaskChange[] = [];
  const store: TaskStore = {
    get graph() {
      return graph;
    },
    async change(decide) {
      const before = graph;
      const change = decide(graph);
      if (change.type === "tool-failure") return change;
      changes.push(change);
      graph = afterChange(graph, change);
      return { type: "changed", change, before };
    },
  };
  const tools = new Map(taskTools(store).map((tool) => [tool.name, tool]));
  const call = async (name: string, input: unknown, actor = MAIN) => {
    const prepared = tools.get(name)?.prepare(input);
    if (prepared?.type !== "ready") return { content: prepared?.message ?? "no such tool", isError: true };
    const signal = new AbortController().signal;
    return prepared.call({ call: callId(MAIN, 1, 0), actor, cwd: "/", signal });
  };
  const text = async (name: string, input: unknown) => {
    const { content, isError } = await call(name, input);
    expect(isError, String(content)).toBe(false);
    return content;
  };
  const failure = async (name: string, input: unknown) => {
    const before = graph;
    const { content, isError } = await call(name, input);
    expect(isError, String(content)).toBe(true);
    expect(graph).toBe(before);
    return content;
  };
  const add = async (...subjects: string[]) => {
    for (const subject of subjects) await text("TaskCreate", { subject, description: `${subject} it` });
  };
  return { text, failure, add, changes, tools };
}

test.each([
  ["TaskCreate", ["subject", "description"], { activeForm: string, metadata: { type: "object" } }],
  ["TaskGet", ["taskId"], {}],
  [
    "TaskUpdate",
    ["taskId"],
    {
      subject: string,
      description: string,
      activeForm: string,
      status: { type: "string", enum: ["pending", "in_progress", "completed", "deleted"] },
      addBlocks: strings,
      addBlockedBy: strings,
      owner: string,
      metadata: { type: "object" },
    },
  ],
  ["TaskList", [], {}],
])("the schema of %s is the seed's (A3.13 to A3.16)", (name, required, optional) => {
  const tool = taskList().tools.get(name);
  const schema = tool ? definitionOf(tool).input_schema : undefined;
  const bare = JSON.parse(JSON.stringify(schema, (key, value) => (isWords(key, value) ? undefined : value)));
  const own = Object.fromEntries(required.map((field) => [field, string]));
  expect(bare).toEqual({ type: "object", properties: { ...own, ...optional }, required });
});

function isWords(key: string, value: unknown): boolean {
  return key === "description" && typeof value === "string";
}

describe("the task list (A14.6)", () => {
  test("shows id, status, subject, owner and what each waits for", async () => {
    const { text, add } = taskList();
    expect(await text("TaskList", {})).toBe("There are no tasks.");
    await add("dig", "plant", "water");
    await text("TaskUpdate", { taskId: "1", addBlocks: ["2", "3"] });
    await text("TaskUpdate", { taskId: "3", addBlockedBy: ["2"], owner: "ann" });
    await text("TaskUpdate", { taskId: "1", status: "in_progress" });
    expect(await text("TaskList", {})).toBe(
      [
        "1 [in_progress] dig (owner: main, which is you)",
        "2 [pending] plant (blockedBy: 1)",
        "3 [pending] water (owner: ann; blockedBy: 1, 2)",
      ].join("\n"),
    );
  });

  test("completing a task frees what waited for it alone, and taking it up again holds it up again", async () => {
    const { text, failure, add } = taskList();
    await add("dig", "plant");
    await text("TaskUpdate", { taskId: "2", addBlockedBy: ["1"] });
    expect(await failure("TaskUpdate", { taskId: "2", status: "in_progress" })).toMatch(/blocked by 1/);
    expect(await text("TaskUpdate", { taskId: "1", status: "completed" })).toMatch(/No longer blocked: 2/);
    expect(await text("TaskList", {})).toContain("2 [pending] plant");
    await text("TaskUpdate", { taskId: "1", status: "pending" });
    expect(await text("TaskList", {})).toContain("blockedBy: 1");
  });

  test("a deleted task is gone with its edges, and its number is not given again", async () => {
    const { text, failure, add } = taskList();
    await add("dig", "plant");
    await text("TaskUpdate", { taskId: "1", addBlocks: ["2"] });
    expect(await text("TaskUpdate", { taskId: "1", status: "deleted" })).toMatch(
      /Task 1 was deleted\..*No longer blocked: 2/s,
    );
    expect(await text("TaskGet", { taskId: "2" })).toContain("blockedBy: none");
    expect(await failure("TaskGet", { taskId: "1" })).toMatch(/no task "1". There are: 2/);
    expect(await text("TaskCreate", { subject: "weed", description: "" })).toMatch(/^Task 3/);
  });

  test("shows one task whole, with its metadata merged and null keys gone", async () => {
    const { text } = taskList();
    await text("TaskCreate", {
      subject: "dig",
      description: "a hole,\n2 feet deep",
      activeForm: "Digging",
      metadata: { depth: 2, tool: "spade" },
    });
    await text("TaskUpdate", { taskId: "1", metadata: { tool: null, where: "here" } });
    expect(await text("TaskGet", { taskId: "1" })).toBe(
      [
        "Task 1: dig",
        "status: pending",
        "owner: none",
        "activeForm: Digging",
        "blocks: none",
        "blockedBy: none",
        'metadata: {"depth":2,"where":"here"}',
        "",
        "a hole,\n2 feet deep",
      ].join("\n"),
    );
  });

  test.each([
    ["itself", { taskId: "1", addBlocks: ["1"] }, /cannot block itself/],
    [
      "a circle",
      { taskId: "3", addBlocks: ["1"] },
      /Task 3 cannot block task 1: it already waits for it \(1 blocks 2 blocks 3\)/,
    ],
    ["a circle in one call", { taskId: "4", addBlocks: ["5"], addBlockedBy: ["5"] }, /cannot block/],
    ["an unknown task", { taskId: "1", addBlocks: ["2", "9"] }, /no task "9". There are: 1, 2, 3, 4, 5/],
    ["an empty subject", { taskId: "1", subject: " \n" }, /subject is empty/],
    ["an unknown id", { taskId: "one" }, /no task "one"/],
    ["a wrong type", { taskId: 1 }, /taskId: expected string/],
    ["a status of no kind", { taskId: "1", status: "begun" }, /status: must be one of/],
    ["no id", {}, /taskId: required/],
  ])("is not changed by %s", async (_, input, message) => {
    const { text, failure, add } = taskList();
    await add("a", "b", "c", "d", "e");
    await text("TaskUpdate", { taskId: "1", addBlocks: ["2"] });
    await text("TaskUpdate", { taskId: "2", addBlocks: ["3"] });
    expect(await failure("TaskUpdate", input)).toMatch(message);
  });

  test("an owner works on one task at a time, others on theirs (A22.7)", async () => {
    const { text, failure, add } = taskList();
    await add("dig", "plant", "water");
    await text("TaskUpdate", { taskId: "1", status: "in_progress" });
    expect(await failure("TaskUpdate", { taskId: "2", status: "in_progress" })).toMatch(
      /main is already working on task 1 \(dig\)/,
    );
    await text("TaskUpdate", { taskId: "2", status: "in_progress", owner: "ann" });
    expect(await failure("TaskUpdate", { taskId: "2", owner: "main" })).toMatch(
      /main is already working on task 1/,
    );
    await text("TaskUpdate", { taskId: "1", status: "completed" });
    await text("TaskUpdate", { taskId: "3", status: "in_progress" });
  });
});

describe.each(everyDayHosts)("the session's tasks, on %s", (host) => {
  test("are shared by its agents, shown while they are worked on, and durable before the model hears of it", async () => {
    const { supervisor, model, events } = supervised(host, (request) => {
      const [first] = request.messages;
      const isChild = JSON.stringify(first).includes("take task 1");
      const turn = request.messages.filter(({ role }) => role === "assistant").length;
      if (isChild) {
        if (turn === 0)
          return { calls: [{ name: "TaskUpdate", input: { taskId: "1", status: "in_progress" } }] };
        if (turn === 1)
          return { calls: [{ name: "TaskUpdate", input: { taskId: "1", status: "completed" } }] };
        return { text: "planted" };
      }
      const task = { subject: "plant", description: "a tree", activeForm: "Planting" };
      if (turn === 0) return { calls: [{ name: "TaskCreate", input: task }] };
      if (turn === 1) {
        const input = { description: "plant", prompt: "take task 1", subagent_type: "general-purpose" };
        return { calls: [{ name: "Agent", input }] };
      }
      if (turn === 2) return { calls: [{ name: "TaskList", input: {} }] };
      return { text: "done" };
    });
    await supervisor.prompt("go");
    const last = JSON.stringify(model.requests.at(-1)?.messages.at(-1));
    expect(last).toMatch(/1 \[completed\] plant \(owner: [a-z0-9]+\)/);
    const shown = events.flatMap((event) =>
      event.type === "agent" && event.view.depth === 1 ? [event.view.doing] : [],
    );
    expect(shown).toContain("Planting");
    // What Ctrl-T lists.
    expect(supervisor.todos(MAIN)).toEqual([
      { content: "plant", activeForm: "Planting", status: "completed" },
    ]);
    await supervisor.close();
    const reading = await readJournal(journalFile(supervisor.folder));
    expect(sessionStateOf(reading.type === "read" ? reading.records : []).tasks.tasks.get("1")).toMatchObject(
      {
        subject: "plant",
        status: "completed",
      },
    );
  });
});
