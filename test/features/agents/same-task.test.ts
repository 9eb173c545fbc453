import { describe, expect, test } from "vitest";
import { sameTaskHint, taskOf } from "../../../src/features/agents/same-task.ts";
import { supervised } from "../../support/supervised.ts";
import { lastResults, textsOf } from "../../support/texts-of.ts";
import { id } from "../budget/accounts.ts";

const same = (a: string, b: string) => {
  const found = (one: string, other: string) =>
    sameTaskHint(taskOf(one), [{ id: id("A"), title: "a", task: taskOf(other) }]) !== null;
  expect(found(a, b)).toBe(found(b, a));
  return found(a, b);
};

const brief =
  "Find out where the journal is written, how group commit works, and what happens when the disk is full. Read src/journal/writer.ts first, then its tests. Report each finding with path and line, and say what you could not find.";

describe("two agents on practically the same task are noticed (C6)", () => {
  test.each([
    ["the same words", brief, brief],
    ["other capitals, spaces and signs", "Find all TODOs in src/, please.", "find all todos   in src"],
    ["a brief that is handed on with a few words before it", brief, `Please do this for me now: ${brief}`],
    ["a sentence more", brief, `${brief} Keep it under 200 words.`],
  ])("%s", (_, a, b) => {
    expect(same(a, b)).toBe(true);
  });

  test.each([
    ["another file in the same template", brief, brief.replace("writer.ts", "reader.ts")],
    ["another subject in the same template", brief, brief.replace("the journal", "the gateway")],
    [
      "another number",
      "Review part 1 of 8 of the list of files in files.txt",
      "Review part 2 of 8 of the list of files in files.txt",
    ],
    [
      "another letter",
      "Write variant A of the new parser, with tests",
      "Write variant B of the new parser, with tests",
    ],
    [
      "the other way round",
      "Compare the old parser with the new writer",
      "Compare the new writer with the old parser",
    ],
    ["a part of a longer task", "Read the tests", brief],
    ["nothing in common", brief, "Say hello"],
    ["nothing at all", "", "…"],
  ])("%s is another task", (_, a, b) => {
    expect(same(a, b)).toBe(false);
  });

  test("of very long prompts only the same is the same", () => {
    const long = Array.from({ length: 5000 }, (_, n) => `word${n}`);
    expect(same(long.join(" "), long.join("\n"))).toBe(true);
    expect(same(long.join(" "), long.with(2500, "other").join(" "))).toBe(false);
  });

  test("the first who has it is named, and it is a line, not a refusal", () => {
    const others = ["A", "B", "C"].map((name) => ({
      ...{ id: id(name), title: `journal ${name}` },
      task: taskOf(name === "A" ? "else" : brief),
    }));
    expect(sameTaskHint(taskOf(brief), [])).toBeNull();
    expect(sameTaskHint(taskOf(brief), others)).toBe(
      "Agent agentB (journal B) was already at work on practically the same task: use both reports as one, and do not ask again.",
    );
  });
});

test("the result of the second of two equal Agent calls hints at the first, and that of a third one does not", async () => {
  const agent = (prompt: string) => ({ name: "Agent", input: { description: "a look", prompt } });
  let results: readonly string[] = [];
  const { supervisor } = supervised("in-thread", (request) => {
    if (!textsOf(request).includes("begin")) return { text: "It is in src/a.ts." };
    results = lastResults(request);
    if (results.length > 0) return { text: "done" };
    return { text: "I ask.", calls: [agent(brief), agent(`${brief} Please.`), agent("Count the tests.")] };
  });
  await supervisor.prompt("begin");
  expect(results.map((text) => text.includes("practically the same task"))).toEqual([false, true, false]);
});
