import { describe, expect, test } from "vitest";
import { type Instruction, instructionsIn } from "../../../src/model/offline/instructions.ts";

const step = (type: Instruction["type"], parts: Instruction["parts"]): Instruction => ({ type, parts });
const append = step("append", { file: "notes.md", text: "done" });
const called = step("call", {
  tool: "CronCreate",
  json: '{"cron": "* * * * *", "prompt": "look {again}"}',
});
const ran = step("run", { command: "npm test" });
const replaced = step("replace", { file: "src/a.ts", from: "one", to: "two", all: "" });

describe("instructions the offline model follows", () => {
  test.each<[string, Instruction[]]>([
    ['in src/a.ts replace "one" with "two"', [replaced]],
    ['In src/a.ts, replace "one" with "two".', [replaced]],
    ['replace "one" with "two" in src/a.ts', [replaced]],
    ["in `src/a.ts` replace `one` with `two`", [replaced]],
    ["in src/a.ts replace 'one' with 'two'", [replaced]],
    ["in src/a.ts replace “one” with “two”", [replaced]],
    ['change "one" to "two" in src/a.ts', [replaced]],
    ['in src/a.ts replace all "one" with "two"', [step("replace", { ...replaced.parts, all: "all " })]],
    [
      'in "my file.txt" replace "a" with ""',
      [step("replace", { file: "my file.txt", from: "a", to: "", all: "" })],
    ],
    ['append "done" to notes.md', [append]],
    ['please append "done" to notes.md!', [append]],
    ['add the line "done" to the end of notes.md', [append]],
    ['append "a\\n\\"b\\"\\t\\\\c" to x', [step("append", { file: "x", text: 'a\n"b"\t\\c' })]],
    ['create a/b.txt with "x"', [step("create", { file: "a/b.txt", text: "x" })]],
    [
      'create the file a.txt containing "line 1\nline 2; then more"',
      [step("create", { file: "a.txt", text: "line 1\nline 2; then more" })],
    ],
    ['run "npm test"', [ran]],
    ["run `npm test`", [ran]],
    ['run "printf \'a\\nb\' | grep \\"a\\""', [step("run", { command: "printf 'a\\nb' | grep \"a\"" })]],
    ['call CronCreate {"cron": "* * * * *", "prompt": "look {again}"}', [called]],
    ["run 'echo don't'", [step("run", { command: "echo don't" })]],
  ])("understands %s", (prompt, expected) => {
    expect(instructionsIn(prompt)).toEqual(expected);
  });

  test.each<[string, Instruction[]]>([
    ['append "done" to notes.md then run "npm test"', [append, ran]],
    ['append "done" to notes.md, and then run "npm test".', [append, ran]],
    ['append "done" to notes.md\nrun "npm test"', [append, ran]],
    ['append "done" to notes.md and run "npm test"', [append, ran]],
    ['run "npm test", and append "done" to notes.md.', [ran, append]],
    ['run "npm test" and in src/a.ts replace "one" with "two"', [ran, replaced]],
    ['run "npm test" and in background: run "x"', [ran, step("background", { task: 'run "x"' })]],
    ['1. append "done" to notes.md\n2. run "npm test"\n', [append, ran]],
    ['First append "done" to notes.md; then run "npm test"', [append, ran]],
    [
      'append "done" to notes.md then where is it read?',
      [append, step("question", { text: "where is it read?" })],
    ],
    ['append "done" to notes.md then deploy it', [append, step("question", { text: "deploy it" })]],
    [
      'run "npm test" then append "then run \\"x\\"" to a',
      [ran, step("append", { file: "a", text: 'then run "x"' })],
    ],
  ])("takes several in their order: %s", (prompt, expected) => {
    expect(instructionsIn(prompt)).toEqual(expected);
  });

  test.each<[string, Instruction[]]>([
    ['in background: run "npm test"', [step("background", { task: 'run "npm test"' })]],
    ["in the background: where is x decided?", [step("background", { task: "where is x decided?" })]],
    ['in background: run "a"\nrun "npm test"', [step("background", { task: 'run "a"' }), ran]],
  ])("gives work to agents: %s", (prompt, expected) => {
    expect(instructionsIn(prompt)).toEqual(expected);
  });

  test.each([
    "where is replace called?",
    'how does append "x" work?',
    "run the tests",
    'run ""',
    "in a.txt replace x with y",
    'replace "a" with "b"',
    'append "x" to',
    'create with "x"',
    'append "never closed to notes.md',
    "in background:",
    "",
    "   \n ",
    "then then then",
    '"""""""',
    `run ${'"'.repeat(5_000)}`,
    `${"(".repeat(20_000)}run`,
  ])("finds none in an ordinary prompt: %#", (prompt) => {
    expect(instructionsIn(prompt)).toBeUndefined();
  });
});
