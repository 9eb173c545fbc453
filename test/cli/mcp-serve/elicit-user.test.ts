import { describe, expect, test } from "vitest";
import { elicitUser, type Form, type FormAnswer } from "../../../src/cli/mcp-serve/elicit-user.ts";
import type { PermissionRequest, QuestionRequest, UserRequest } from "../../../src/policy/user-requests.ts";
import { actor } from "../../support/agent-view.ts";

const asker = { actor: actor(1), path: ["general-purpose · tidy up"] };
const permission: PermissionRequest = {
  ...{ type: "permission", id: "ask1", askers: [asker], tool: "Bash", level: "execute" },
  input: { command: "rm -r build" },
  ...{ title: "rm -r build", description: "Remove the build", reason: "No rule allows it." },
  details: [{ name: "command", value: "rm -r build" }],
  grants: ["Bash(rm -r build)"],
};
const question: QuestionRequest = {
  ...{ type: "question", id: "ask2", askers: [asker] },
  questions: [
    {
      ...{ question: "Which colour?", header: "Colour", multiSelect: false },
      options: [
        { label: "red", description: "as fire" },
        { label: "blue", description: "as the sea" },
      ],
    },
    { question: "Which sizes?", header: "Sizes", multiSelect: true, options: [] },
  ],
};

async function asked(ask: UserRequest, filled: FormAnswer | Error) {
  const forms: Form[] = [];
  const person = elicitUser(async (form) => {
    forms.push(form);
    if (filled instanceof Error) throw filled;
    return filled;
  });
  const answer = await person.ask(ask, new AbortController().signal);
  return { answer, form: forms[0] };
}

const accept = (content: Record<string, unknown>): FormAnswer => ({ action: "accept", content });

describe("a permission that is asked through the client", () => {
  test("shows who asks, for what and why, and the rules that a yes would add", async () => {
    const { form } = await asked(permission, accept({ allow: "once" }));
    expect(form?.message.split("\n")).toEqual([
      "An agent wants to use Bash: rm -r build",
      "The model says: Remove the build",
      "Why this is asked: No rule allows it.",
      "Danger: execute: it runs programs",
      "From: general-purpose · tidy up",
    ]);
    expect(form?.fields["allow"]).toMatchObject({
      enum: ["once", "session", "no"],
      enumNames: ["Yes, this once", "Yes, while this server runs: Bash(rm -r build)", "No"],
    });
    expect(form?.required).toEqual(["allow"]);
  });

  test("nothing in it is hidden; of what is too long the end is shown, and how long it is (issue 14)", async () => {
    const title = `echo \u202e${"x".repeat(9_000)}; rm -rf ~`;
    const { form } = await asked({ ...permission, title }, accept({}));
    expect(form?.message).toContain("echo <U+202E>xxx");
    expect(form?.message).toContain(`${title.length} characters in all`);
    expect(form?.message).toMatch(/xxx; rm -rf ~\nThe model says/);
  });

  test("no line of a command or of the model's text looks like one of the form's own (issue 14)", async () => {
    const faked = "ls\nWhy this is asked: It only reads.";
    const { form } = await asked({ ...permission, title: faked, description: faked }, accept({}));
    expect(form?.message.split("\n").filter((line) => line.startsWith("Why"))).toEqual([
      "Why this is asked: No rule allows it.",
    ]);
  });

  test.each<[FormAnswer | Error, object]>([
    [accept({ allow: "once" }), { type: "allow", span: "once" }],
    [accept({ allow: "session" }), { type: "allow", span: "session", grants: ["Bash(rm -r build)"] }],
    [accept({ allow: "no", message: " use git " }), { type: "deny", span: "once", message: "use git" }],
    [accept({ allow: "yes" }), { type: "deny", span: "once" }],
    [accept({}), { type: "deny", span: "once" }],
    [{ action: "decline" }, { type: "deny", span: "once" }],
    [{ action: "cancel" }, { type: "unavailable", reason: expect.stringContaining("without an answer") }],
    [
      new Error("timed out"),
      { type: "unavailable", reason: "The client could not ask the user (timed out)." },
    ],
  ])("%j is %j: anything but a clear yes means no (A6.10)", async (filled, expected) => {
    expect((await asked(permission, filled)).answer).toEqual(expected);
  });

  test("one that can only be allowed once is not allowed for longer", async () => {
    const { answer, form } = await asked({ ...permission, grants: [] }, accept({ allow: "session" }));
    expect(form?.fields["allow"]).toMatchObject({ enum: ["once", "no"] });
    expect(answer).toEqual({ type: "deny", span: "once" });
  });
});

describe("questions of an agent", () => {
  test("are a choice each, with a field for another answer", async () => {
    const { form } = await asked(question, accept({}));
    expect(Object.keys(form?.fields ?? {})).toEqual(["answer_1", "own_words_1", "answer_2"]);
    expect(form?.fields["answer_1"]).toMatchObject({ title: "Colour", enum: ["red", "blue"] });
    expect(form?.fields["answer_1"]?.description).toContain("blue: as the sea");
  });

  test.each<[FormAnswer, object]>([
    [accept({ answer_1: "red" }), { type: "answers", answers: { "Which colour?": "red" } }],
    [
      accept({ answer_1: "red", own_words_1: "green", answer_2: "S, M" }),
      { type: "answers", answers: { "Which colour?": "green", "Which sizes?": "S, M" } },
    ],
    [accept({}), { type: "unavailable", reason: "The user left all fields empty." }],
    [{ action: "decline" }, { type: "unavailable", reason: "The user did not want to answer." }],
  ])("%j is %j", async (filled, expected) => {
    expect((await asked(question, filled)).answer).toEqual(expected);
  });
});

test("a plan is for a conversation", async () => {
  const plan: UserRequest = {
    type: "plan",
    id: "ask3",
    askers: [asker],
    plan: "1.",
    file: "/plan.md",
    allows: [],
  };
  const { answer, form } = await asked(plan, accept({}));
  expect({ type: answer.type, form }).toEqual({ type: "unavailable", form: undefined });
});
