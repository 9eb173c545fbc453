import { describe, expect, test } from "vitest";
import { questionsIn } from "../../../src/model/offline/answer.ts";
import { agentInput } from "../../../src/model/offline/instructions.ts";

describe("questions in a prompt", () => {
  test.each<[string, string[]]>([
    ["where is the parser?", ["where is the parser?"]],
    ["Where is the parser? How does a merge end?", ["Where is the parser?", "How does a merge end?"]],
    ["where is the parser; how does a merge end", ["where is the parser", "how does a merge end"]],
    ["1. Where is the parser?\n2) who calls merge?", ["Where is the parser?", "who calls merge?"]],
    [
      "Please answer these:\n1. Where is the parser?\n2. Who calls merge?",
      ["Where is the parser?", "Who calls merge?"],
    ],
    ["Where is the parser?\nHow does a merge end?", ["Where is the parser?", "How does a merge end?"]],
    ["Where is `a; b` parsed?", ["Where is `a; b` parsed?"]],
    ["Where is the parser? Thanks!", ["Where is the parser?"]],
    ["add a test\nfor the parser", ["add a test\nfor the parser"]],
    ["Where is the parser?\nadd a test", ["Where is the parser?", "add a test"]],
    ["I look at the mailbox. Where is it closed?", ["I look at the mailbox. Where is it closed?"]],
    ["消息的格式在哪里定义？代理如何结束？", ["消息的格式在哪里定义？", "代理如何结束？"]],
    ["Where is the parser? Where is the parser?", ["Where is the parser?"]],
    ["find every use of parseHeader", ["find every use of parseHeader"]],
    [
      "How does an agent end, and where is its summary made?",
      ["How does an agent end, and where is its summary made?"],
    ],
  ])("%j", (prompt, expected) => {
    expect(questionsIn(prompt)).toEqual(expected);
  });

  test("pasted text of a megabyte is read only at its beginning", () => {
    const questions = questionsIn(
      "where is the parser of line?\n".concat("some log line, nothing more\n".repeat(40_000)),
    );
    expect(questions[0]).toMatch(/^where is the parser/);
    expect(questions.length).toBeLessThanOrEqual(100);
  });

  test.each([
    "where is the wire format of messages decided?",
    "parser",
    'in src/a.ts replace "one" with "two"',
    `what is ${"a".repeat(500)}?`,
  ])("a task is described in three to five words (A3.7): %s", (text) => {
    const words = agentInput(text).description.split(" ");
    expect(words.length).toBeGreaterThanOrEqual(3);
    expect(words.length).toBeLessThanOrEqual(5);
  });
});
