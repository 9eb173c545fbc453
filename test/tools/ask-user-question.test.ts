import { describe, expect, test } from "vitest";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import type { ChoiceOutcome } from "../../src/policy/asking/questions.ts";
import type { Question } from "../../src/policy/user-requests.ts";
import { askUserQuestionTool, MAX_HEADER_CHARS } from "../../src/tools/ask-user-question.ts";
import { bindTool } from "../../src/tools/bind-tool.ts";
import { definitionOf } from "../support/definition-of.ts";

const string = { type: "string" };

function option(label: string) {
  return { label, description: `take ${label}` };
}

function question(text: string, given: object = {}) {
  return {
    question: text,
    header: "Choice",
    options: [option("A"), option("B")],
    multiSelect: false,
    ...given,
  };
}

/** The tool over somebody who answers like this, and what they were asked. */
function toolWith(outcome: ChoiceOutcome = { type: "answers", answers: {} }) {
  const asked: (readonly Question[])[] = [];
  const tool = bindTool(
    askUserQuestionTool({
      async question(questions) {
        asked.push(questions);
        return outcome;
      },
    }),
  );
  const call = async (input: unknown) => {
    const ready = tool.prepare(input);
    if (ready.type === "invalid") return { content: ready.message, isError: true };
    const { signal } = new AbortController();
    return ready.call({ call: callId(MAIN, 1, 0), actor: MAIN, cwd: "/", signal });
  };
  return { tool, asked, call };
}

test("the schema is the seed's (A3.10)", () => {
  const { input_schema } = definitionOf(toolWith().tool);
  // A schema has no other key of this name with a text in it.
  const bare = JSON.parse(
    JSON.stringify(input_schema, (key, value) =>
      key === "description" && typeof value === "string" ? undefined : value,
    ),
  );
  expect(bare).toEqual({
    type: "object",
    properties: {
      questions: {
        type: "array",
        minItems: 1,
        maxItems: 4,
        items: {
          type: "object",
          properties: {
            question: string,
            header: string,
            options: {
              type: "array",
              minItems: 2,
              maxItems: 4,
              items: {
                type: "object",
                properties: { label: string, description: string, preview: string },
                required: ["label", "description"],
              },
            },
            multiSelect: { type: "boolean" },
          },
          required: ["question", "header", "options", "multiSelect"],
        },
      },
    },
    required: ["questions"],
  });
});

describe("limits (A14.1)", () => {
  const questions = (count: number) => Array.from({ length: count }, (_, i) => question(`Which ${i}?`));
  const options = (count: number) => Array.from({ length: count }, (_, i) => option(`L${i}`));
  const one = (given: object) => ({ questions: [question("Which?", given)] });

  test.each([
    ["no question", { questions: questions(0) }, "questions: must be at least 1"],
    ["five questions", { questions: questions(5) }, "questions: must be at most 4"],
    ["one option", one({ options: options(1) }), "questions.0.options: must be at least 2"],
    ["five options", one({ options: options(5) }), "questions.0.options: must be at most 4"],
    [
      "a header of 13",
      one({ header: "x".repeat(13) }),
      "questions.0.header: must have at most 12 characters",
    ],
    ["a blank header", one({ header: " " }), "questions.0.header: must not be blank"],
    ["a blank question", { questions: [question(" ")] }, "questions.0.question: must not be blank"],
    ["a blank label", one({ options: [option("A"), option("")] }), "questions.0.options.1.label: must not"],
    [
      "two labels alike",
      one({ options: [option("A"), option(" a")] }),
      "questions.0.options: labels must differ",
    ],
    [
      "two questions alike",
      { questions: [question("Which?"), question("Which?")] },
      "questions: questions must differ",
    ],
    ["an Other of its own", one({ options: [option("A"), option("Other")] }), "“Other” is always offered"],
    ["no multiSelect", one({ multiSelect: undefined }), "questions.0.multiSelect: required"],
    [
      "a label that is no text",
      one({ options: [option("A"), { label: 1, description: "x" }] }),
      "label: expected string",
    ],
    ["nothing", {}, "questions: required"],
  ])("%s is refused before anybody is asked", async (_, input, words) => {
    const { call, asked } = toolWith();
    const { content, isError } = await call(input);
    expect([content, isError]).toEqual([expect.stringContaining(words), true]);
    expect(asked).toEqual([]);
  });

  test.each([
    ["one question", { questions: questions(1) }],
    ["four questions", { questions: questions(4) }],
    ["two options", one({ options: options(2) })],
    ["four options", one({ options: options(4) })],
    ["a header of 12", one({ header: "x".repeat(MAX_HEADER_CHARS) })],
    ["a header of 12 characters that are more in UTF-16", one({ header: "🎭".repeat(MAX_HEADER_CHARS) })],
    ["a recommendation", one({ options: [option("PostgreSQL (Recommended)"), option("SQLite")] })],
  ])("%s is asked", async (_, input) => {
    const { call, asked } = toolWith();
    expect((await call(input)).isError).toBe(false);
    expect(asked).toHaveLength(1);
  });

  test("a preview is shown only where one can be chosen", async () => {
    const { call, asked } = toolWith();
    const options = [{ ...option("A"), preview: "| a |" }, option("B")];
    await call({
      questions: [question("One?", { options }), question("Some?", { options, multiSelect: true })],
    });
    expect(asked[0]?.map(({ options: [first] }) => first)).toEqual([
      { ...option("A"), preview: "| a |" },
      option("A"),
    ]);
  });
});

describe("answers (A14.2, A14.3)", () => {
  const some = { multiSelect: true };
  test.each([
    ["a label", question("Q?"), "B", '- "Q?": "B"'],
    ["own words, which are Other", question("Q?"), "Neither", '- "Q?": "Neither" (other text)'],
    ["a list of labels", question("Q?", some), ["A", "B"], '- "Q?": ["A","B"]'],
    ["labels in one line", question("Q?", some), "A, B", '- "Q?": ["A","B"]'],
    ["one of several", question("Q?", some), "A", '- "Q?": ["A"]'],
    ["labels and own words", question("Q?", some), ["A", "and C"], '- "Q?": ["A"] and "and C" (other text)'],
    ["own words with a comma", question("Q?", some), "A, but later", '- "Q?": "A, but later" (other text)'],
    [
      "a label with a comma",
      question("Q?", { ...some, options: [option("A, B"), option("C")] }),
      "A, B",
      '- "Q?": ["A, B"]',
    ],
    ["nothing", question("Q?"), undefined, '- "Q?": no answer; decide yourself'],
    ["an empty list", question("Q?", some), [], '- "Q?": no answer; decide yourself'],
    [
      "lines that look like another answer",
      question("Q?"),
      'no\n- "P?": "A"',
      '- "Q?": "no\\n- \\"P?\\": \\"A\\"" (other text)',
    ],
    [
      "the answer to a question called __proto__",
      question("__proto__"),
      undefined,
      '- "__proto__": no answer; decide yourself',
    ],
  ] as const)("%s", async (_, asked, answer, words) => {
    const answers = answer === undefined ? {} : { [asked.question]: answer };
    const { call } = toolWith({ type: "answers", answers });
    expect(await call({ questions: [asked] })).toEqual({
      content: `The user's answers:\n${words}`,
      isError: false,
    });
  });

  test("each question is named with its answer", async () => {
    const { call } = toolWith({ type: "answers", answers: { "One?": "A", "Two?": "B" } });
    const { content } = await call({ questions: [question("Two?"), question("One?")] });
    expect(content).toBe('The user\'s answers:\n- "Two?": "B"\n- "One?": "A"');
  });

  test("without an answer the model decides itself and says what it assumed", async () => {
    const { call } = toolWith({
      type: "deny",
      by: "nobody",
      reason: "No user can be asked in this session.",
    });
    expect(await call({ questions: [question("Q?")] })).toEqual({
      content:
        "No user can be asked in this session. Decide yourself, continue, and say in your reply what you assumed.",
      isError: true,
    });
  });
});
