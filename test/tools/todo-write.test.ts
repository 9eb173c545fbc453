import { describe, expect, test } from "vitest";
import type { Todo } from "../../src/mailbox/messages.ts";
import { todoOf } from "../../src/mailbox/turns.ts";
import { definitionOf } from "../support/definition-of.ts";
import { everyDayHosts, supervised } from "../support/supervised.ts";
import { toolNamed, workbenches } from "./workbench.ts";

const workbench = workbenches();

function step(content: string, status: Todo["status"] = "pending"): Todo {
  return { content, status, activeForm: `Doing: ${content}` };
}

test("the schema is the seed's (A3.29)", () => {
  expect(definitionOf(toolNamed("TodoWrite")).input_schema).toMatchObject({
    type: "object",
    properties: {
      todos: {
        type: "array",
        items: {
          type: "object",
          properties: {
            content: { type: "string" },
            status: { type: "string", enum: ["pending", "in_progress", "completed"] },
            activeForm: { type: "string" },
          },
          required: ["content", "status", "activeForm"],
        },
      },
    },
    required: ["todos"],
  });
});

describe("the list", () => {
  test("is replaced as a whole, and the answer says what to do next (A3.29)", async () => {
    const bench = workbench();
    expect(await bench.text("TodoWrite", { todos: [step("look"), step("cut")] })).toMatch(
      /0 completed, 0 in progress, 2 pending.*in_progress/,
    );
    expect(
      await bench.text("TodoWrite", { todos: [step("look", "completed"), step("cut", "in_progress")] }),
    ).toMatch(/1 completed, 1 in progress, 0 pending\. Continue with: cut/);
    expect(bench.todo.items).toEqual([step("look", "completed"), step("cut", "in_progress")]);
    expect(await bench.text("TodoWrite", { todos: [] })).toBe("The list is empty now.");
    expect(bench.todo.items).toEqual([]);
  });

  test("has one step in progress; with two it stays as it was (A14.4)", async () => {
    const bench = workbench();
    await bench.text("TodoWrite", { todos: [step("look", "in_progress")] });
    const answer = await bench.failure("TodoWrite", {
      todos: [step("a", "in_progress"), step("b", "in_progress")],
    });
    expect(answer).toMatch(/2 todos are in_progress \("a", "b"\).*only 1.*pending.*not changed/);
    expect(bench.todo.items).toEqual([step("look", "in_progress")]);
  });

  test.each([
    [{ todos: "all" }, /todos: expected array/],
    [{}, /todos: required/],
    [{ todos: [{ content: "x", status: "begun", activeForm: "y" }] }, /todos\.0\.status: must be one of/],
    [{ todos: [{ content: "x", status: "pending" }] }, /todos\.0\.activeForm: required/],
    [{ todos: [null] }, /todos\.0: expected object/],
    [{ todos: [{ content: " ", status: "pending", activeForm: "y" }] }, /Todo 1 has an empty content/],
  ])("is not written from %j", async (input, message) => {
    const bench = workbench();
    expect(await bench.failure("TodoWrite", input)).toMatch(message);
    expect(bench.todo.items).toEqual([]);
  });
});

describe.each(everyDayHosts)("an agent's list, on %s", (host) => {
  test("is part of its turn's record, shown in the live tree while it works, and gone with its end (A14.5)", async () => {
    const first = [step("look", "in_progress"), step("cut")];
    const { supervisor, events } = supervised(host, [
      { calls: [{ name: "TodoWrite", input: { todos: first } }] },
      { calls: [{ name: "Glob", input: { pattern: "*" } }] },
      { text: "done" },
    ]);
    await supervisor.prompt("go");
    const shown = events.flatMap((event) => (event.type === "agent" ? [event.view.doing] : []));
    expect(shown[0]).toBeNull();
    expect(shown).toContain("Doing: look");
    expect(supervisor.tree()[0]?.doing).toBeNull();
  });

  test("is still there in a later prompt, which continues from the records (promise 8)", async () => {
    const { supervisor, events } = supervised(host, [
      { calls: [{ name: "TodoWrite", input: { todos: [step("look", "in_progress")] } }] },
      { text: "so far" },
      { calls: [{ name: "Glob", input: { pattern: "*" } }] },
      { text: "done" },
    ]);
    await supervisor.prompt("go");
    events.length = 0;
    await supervisor.prompt("go on");
    const shown = events.flatMap((event) => (event.type === "agent" ? [event.view.doing] : []));
    expect(shown).toContain("Doing: look");
  });
});

test("the list after some turns is that of the last turn that wrote one", () => {
  const turn = (number: number, todo?: Todo[]) => ({
    turn: number,
    heard: [],
    messages: [],
    cwd: "/",
    reads: [],
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
    receipts: { tools: {}, files: [], commands: [] },
    ...(todo === undefined ? {} : { todo }),
  });
  expect(todoOf([turn(1), turn(2)])).toEqual([]);
  expect(todoOf([turn(1, [step("a")]), turn(2)])).toEqual([step("a")]);
  expect(todoOf([turn(1, [step("a")]), turn(2, [])])).toEqual([]);
});
