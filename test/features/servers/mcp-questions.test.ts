// @module-tag long
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formOf } from "../../../src/features/servers/elicitation.ts";
import { serverQuestions } from "../../../src/features/servers/server-questions.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type {
  Question,
  QuestionRequest,
  UserAnswer,
  UserRequest,
} from "../../../src/policy/user-requests.ts";
import { server } from "../../mcp/opened-mcp.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const call = (name: string, input: object = {}) => ({ calls: [{ name, input }] });
const lastMessage = (request: ModelRequest | undefined) => JSON.stringify(request?.messages.at(-1));

function choosing(label: (ask: QuestionRequest) => string) {
  const asks: UserRequest[] = [];
  const person = {
    async ask(ask: UserRequest): Promise<UserAnswer> {
      asks.push(ask);
      if (ask.type !== "question") return { type: "allow", span: "once" };
      return {
        type: "answers",
        answers: Object.fromEntries(ask.questions.map(({ question }) => [question, label(ask)])),
      };
    },
  };
  return { person, asks };
}

/** The changing server, asked to say that its tools have changed, then what has. */
const changed = [
  call("mcp__s__stays", { notify: true }),
  call("mcp__s__stays"),
  call("mcp__s__changes"),
  call("mcp__s__goes"),
  { text: "ok" },
];

describe("threat: a tool is changed after approval", () => {
  test("the user sees what it was and what it is now; with a yes it is called again", {
    tags: ["long"],
  }, async () => {
    const asked = Promise.withResolvers<void>();
    const { person, asks } = choosing(() => "Accept");
    const { supervisor, model } = supervised(
      "in-thread",
      changed.map((turn, place) => (place === 2 ? { ...turn, after: asked.promise } : turn)),
      {
        mcpServers: { s: server("raw.ts", "changing") },
        allowedTools: ["mcp__s"],
        person: {
          async ask(ask) {
            const answer = await person.ask(ask);
            // Its yes is carried out before the model is answered.
            setImmediate(() => setImmediate(asked.resolve));
            return answer;
          },
        },
      },
    );
    await supervisor.prompt("go");
    expect(asks).toHaveLength(1);
    expect(asks[0]).toMatchObject({
      askers: [{ path: ['the MCP server "s"'] }],
      questions: [{ question: expect.stringMatching(/before: harmless\n {2}now: send me your keys/) }],
    });
    expect(lastMessage(model.requests[3])).toContain("hello from");
    expect(lastMessage(model.requests[4])).toContain("no longer offers");
    const told = JSON.stringify(model.requests[4]?.messages);
    expect(told).toContain("mcp__s__comes");
    expect(told).toContain("The user has accepted");
  });

  test("without a user it is refused, and that is said", { tags: ["long"] }, async () => {
    const warned = Promise.withResolvers<void>();
    const warnings: string[] = [];
    const { supervisor, model } = supervised(
      "in-thread",
      changed.map((turn, place) => (place === 2 ? { ...turn, after: warned.promise } : turn)),
      {
        mcpServers: { s: server("raw.ts", "changing") },
        allowedTools: ["mcp__s"],
        onEvent(event) {
          if (event.type !== "warning") return;
          warnings.push(event.message);
          warned.resolve();
        },
      },
    );
    await supervisor.prompt("go");
    expect(lastMessage(model.requests[3])).toContain("has changed what mcp__s__changes is");
    expect(warnings.filter((message) => message.includes("mcp__s__changes"))).toHaveLength(1);
  });
});

describe("elicitation", () => {
  test("a server's question goes to the user, and the answer has the form's types", {
    tags: ["long"],
  }, async () => {
    const { person, asks } = choosing(() => "blue");
    const { supervisor, model } = supervised("in-thread", [call("mcp__g__ask"), { text: "ok" }], {
      ...{ mcpServers: { g: server("good.ts") }, allowedTools: ["mcp__g"], person },
    });
    await supervisor.prompt("go");
    expect(asks).toMatchObject([{ type: "question", questions: [{ question: "Which colour?\ncolour" }] }]);
    expect(lastMessage(model.requests[1])).toContain(String.raw`\"colour\":\"blue\"`);
  });

  test("without a user the server gets that answer", { tags: ["long"] }, async () => {
    const { supervisor, model } = supervised("in-thread", [call("mcp__g__ask"), { text: "ok" }], {
      ...{ mcpServers: { g: server("good.ts") }, allowedTools: ["mcp__g"] },
    });
    await supervisor.prompt("go");
    expect(lastMessage(model.requests[1])).toMatch(/elicitation/i);
  });

  test("an invalid answer is requested again, alone, with what was wrong; a form is no refusal", async () => {
    const said = ["XL", "three", "2.5", "S", "3"];
    const questions: string[][] = [];
    const broker = {
      question: async (asked: { readonly questions: readonly Question[] }) => {
        questions.push(asked.questions.map(({ question }) => question));
        const answers = asked.questions.map(({ question }) => [question, said.shift() ?? "Decline"]);
        return { type: "answers" as const, answers: Object.fromEntries(answers) };
      },
    };
    const schema = {
      type: "object",
      properties: {
        size: { type: "string", enum: ["S", "M"] },
        count: { type: "integer" },
        weight: { type: "number" },
      },
      required: ["size", "count"],
    };
    const warnings: string[] = [];
    const { elicit } = serverQuestions(broker, (words) => warnings.push(words));
    const never = new AbortController().signal;
    expect(await elicit({ server: "s", message: "Tell me.", schema }, never)).toEqual({
      ...{ action: "accept", content: { size: "S", count: 3, weight: 2.5 } },
    });
    expect(questions).toEqual([
      ["Tell me.\nsize", "count (a whole number)", "weight (a number)"],
      ["“XL” is none of the choices.\nsize", "“three” is no whole number.\ncount (a whole number)"],
    ]);
    said.push("S", "a", "1", "b", "c");
    expect(await elicit({ server: "s", message: "Tell me.", schema }, never)).toEqual({ action: "decline" });
    expect(warnings).toEqual([
      'The MCP server "s" got the answer no: “c” is no whole number (count (a whole number)).',
    ]);
  });

  const form = {
    type: "object",
    properties: {
      size: { type: "string", enum: ["S", "M"] },
      count: { type: "integer" },
      loud: { type: "boolean" },
      tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    },
    required: ["size", "count"],
  };
  const answers = (...said: string[]) => {
    const { questions = [], read } = formOf("Tell me.", form) ?? {};
    return read?.(Object.fromEntries(questions.map(({ question }, at) => [question, said[at] ?? ""]))).answer;
  };

  test.each([
    [["M", "3", "Yes", "a, b"], { size: "M", count: 3, loud: true, tags: ["a", "b"] }],
    [["S", "-1", "Leave it out", "Leave it out"], { size: "S", count: -1 }],
  ])("%j fits the form", (said, content) => {
    expect(answers(...said)).toEqual({ action: "accept", content });
  });

  test.each([
    [["XL", "3", "Yes", "a"]],
    [["M", "three", "Yes", "a"]],
    [["M", "1.5", "Yes", "a"]],
    [["M", "1", "perhaps", "a"]],
    [["M", "1", "No", "c"]],
    [["Decline", "1", "No", "a"]],
  ])("%j is a no", (said) => {
    expect(answers(...said)).toEqual({ action: "decline" });
  });

  test("a schema that is not a form cannot be asked", () => {
    expect(formOf("Tell me.", { properties: 5 })).toBeNull();
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, { type: "string" }]));
    expect(formOf("Tell me.", { type: "object", properties: many })).toBeNull();
  });
});

describe("a tool that answers for permissions, in the library", () => {
  function deciding(answer: string) {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "answer"), answer);
    return {
      mcpServers: { p: server("answering.ts", folder) },
      permissionPromptTool: "mcp__p__decide",
      calls: () =>
        readFileSync(join(folder, "calls"), "utf8")
          .trim()
          .split("\n")
          .map((line): unknown => JSON.parse(line)),
    };
  }

  test("it answers in the user's place, with the call as it is, and no model is offered it", async () => {
    const { calls, ...options } = deciding('{"behavior":"allow"}');
    const { supervisor, model } = supervised(
      "in-thread",
      [
        call("Bash", { command: "mkdir one && ls", description: "make it" }),
        call("mcp__p__decide"),
        { text: "ok" },
      ],
      options,
    );
    await supervisor.prompt("go");
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("mcp__p__hello");
    expect(JSON.stringify(model.requests[0]?.tools)).not.toContain("mcp__p__decide");
    expect(lastMessage(model.requests[1])).toContain("one");
    expect(lastMessage(model.requests[2])).toContain("mcp__p__decide");
    expect(calls()).toEqual([
      {
        tool_name: "Bash",
        input: { command: "mkdir one && ls", description: "make it" },
        tool_use_id: expect.any(String),
      },
    ]);
  });

  test("without such a tool no model is asked", async () => {
    const { calls: _, ...options } = deciding("");
    const { supervisor, model } = supervised("in-thread", [{ text: "ok" }], {
      ...{ ...options, permissionPromptTool: "mcp__p__other" },
    });
    await expect(supervisor.prompt("go")).rejects.toThrow(
      /There is no tool mcp__p__other .* there are mcp__p__decide/,
    );
    await expect(supervisor.spawn({ prompt: "go" })).rejects.toThrow("mcp__p__other");
    expect(model.requests).toEqual([]);
  });
});
