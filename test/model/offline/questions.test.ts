import { describe, expect, test } from "vitest";
import { questionsIn, shortDescription } from "../../../src/model/offline/questions.ts";
import { termsOf } from "../../../src/model/offline/terms.ts";

describe("questions in a prompt", () => {
  test.each<[string, string[]]>([
    ["where is the parser?", ["where is the parser?"]],
    ["Where is the parser? How does a merge end?", ["Where is the parser?", "How does a merge end?"]],
    ["where is the parser; how does a merge end", ["where is the parser", "how does a merge end"]],
    ["- the parser\n- the merge queue", ["the parser", "the merge queue"]],
    ["1. Where is the parser?\n2) who calls merge?", ["Where is the parser?", "who calls merge?"]],
    [
      "Please answer these:\n1. Where is the parser?\n2. Who calls merge?",
      ["Where is the parser?", "Who calls merge?"],
    ],
    ["Where is the parser?\nHow does a merge end?", ["Where is the parser?", "How does a merge end?"]],
    ["Where is `a; b` parsed?", ["Where is `a; b` parsed?"]],
    ["Where is the parser? Thanks!", ["Where is the parser? Thanks!"]],
    ["I look at the mailbox. Where is it closed?", ["I look at the mailbox. Where is it closed?"]],
    ["消息的格式在哪里定义？代理如何结束？", ["消息的格式在哪里定义？", "代理如何结束？"]],
    ["一、解析器在哪里\n二、合并如何结束", ["解析器在哪里", "合并如何结束"]],
    ["Where is the parser? Where is the parser?", ["Where is the parser?"]],
    ["find every use of parseHeader", ["find every use of parseHeader"]],
    [
      "How does an agent end, and where is its summary made?",
      ["How does an agent end, and where is its summary made?"],
    ],
  ])("%j", (prompt, expected) => {
    expect(questionsIn(prompt)).toEqual(expected);
  });

  test.each(["hello", "thanks!", "", "???", "你好", "\n\n", "what is it?", "...; ...;"])(
    "nothing to search for: %j",
    (prompt) => {
      expect(questionsIn(prompt)).toEqual([]);
    },
  );

  test("pasted text of a megabyte is read only at its beginning", () => {
    const questions = questionsIn(
      "where is the parser of line?\n".concat("some log line, nothing more\n".repeat(40_000)),
    );
    expect(questions[0]).toMatch(/^where is the parser/);
    expect(questions.length).toBeLessThan(2_000);
  });

  test.each([
    "where is the wire format of messages decided?",
    "parser",
    "消息的线路格式在哪里定义？",
    'in src/a.ts replace "one" with "two"',
    `what is ${"a".repeat(500)}?`,
  ])("a task is described in three to five words (A3.7): %s", (text) => {
    const words = shortDescription(text).split(" ");
    expect(words.length).toBeGreaterThanOrEqual(3);
    expect(words.length).toBeLessThanOrEqual(5);
  });
});

describe("what is searched for", () => {
  const words = (question: string) => termsOf(question).map(({ kind, label }) => `${kind} ${label}`);

  test.each<[string, string[]]>([
    ["where is the timeout decided?", ["word timeout", "word decided"]],
    ["where is parseHTTPHeader called?", ["exact parseHTTPHeader", "word called"]],
    [
      "what does max_retries mean in src/net/retry.ts?",
      ["exact max_retries", "file src/net/retry.ts", "word mean"],
    ],
    ["who uses `--dry-run`?", ["exact --dry-run", "word uses"]],
    ["where is the code?", ["word code"]],
    ["超时配置在哪里定义？", ["word timeout", "word config", "word define"]],
    ["parseHeader 函数在哪里？", ["exact parseHeader", "word function"]],
    ["где обработка ошибок?", ["word где", "word обработка", "word ошибок"]],
  ])("%s", (question, expected) => {
    expect(words(question)).toEqual(expected);
  });

  test.each([
    ["decide", "decided"],
    ["decision", "decides"],
    ["cancel", "cancellation"],
    ["retry", "retries"],
    ["write", "written"],
    ["configure", "configuration"],
    ["run", "running"],
    ["serialise", "serialization"],
    ["child", "children"],
  ])("%s and %s are one word", (a, b) => {
    expect(termsOf(`${a} x`)[0]?.stems).toEqual(termsOf(`${b} x`)[0]?.stems);
  });

  test("different words stay different", () => {
    const stems = ["message", "merge", "agent", "end", "error", "user", "format", "information"].map(
      (word) => termsOf(word)[0]?.stems[0],
    );
    expect(new Set(stems).size).toBe(stems.length);
  });
});
