import { expect, test } from "vitest";
import type { Todo } from "../../../src/mailbox/messages.ts";
import { plain } from "../../../src/terminal/colour.ts";
import { todoRows } from "../../../src/terminal/live/prompt-rows.ts";

const todo = (content: string, status: Todo["status"]): Todo => ({
  content,
  status,
  activeForm: `${content}ing`,
});
const three = [todo("Read", "completed"), todo("Test", "in_progress"), todo("Build\u001b[2J\nit", "pending")];
const many = Array.from({ length: 20 }, (_, n) =>
  todo(`Step${n}`, n < 10 ? "completed" : n === 10 ? "in_progress" : "pending"),
);

test.each([
  [[], 10, ["There are no todos. Ctrl-T closes this."]],
  [three, 10, ["Todos: 1 of 3 done", "✓ Read", "● Testing", "○ Build it"]],
  [many, 4, ["Todos: 10 of 20 done, 17 not shown", "✓ Step9", "● Step10ing", "○ Step11"]],
  [many, 2, ["Todos: 10 of 20 done, 19 not shown", "● Step10ing"]],
  [[todo("Read", "completed")], 1, ["Todos: 1 of 1 done", "✓ Read"]],
] as const)("%# the list has the current step (issue 21, 6)", (todos, rows, expected) => {
  expect(todoRows(todos, { columns: 60, rows, paint: plain })).toEqual(expected);
});
