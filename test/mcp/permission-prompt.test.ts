import { describe, expect, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { CallResult } from "../../src/mailbox/messages.ts";
import type { McpCall } from "../../src/mcp/mcp.ts";
import { mcpPerson } from "../../src/mcp/permission-prompt.ts";
import type {
  Asker,
  PermissionRequest,
  PlanRequest,
  QuestionRequest,
} from "../../src/policy/user-requests.ts";
import { never, ready, server } from "./opened-mcp.ts";

const asker: Asker = { actor: MAIN, path: ["main conversation"] };
const permission: PermissionRequest = {
  ...{
    type: "permission",
    id: "q1",
    askers: [asker],
    tool: "Bash",
    level: "execute",
    title: "rm x",
    reason: "Why not.",
    grants: ["Bash(rm:*)"],
  },
  input: { command: "rm x" },
  details: [{ name: "command", value: "rm x" }],
};
const question: QuestionRequest = {
  ...{ type: "question", id: "q2", askers: [asker] },
  questions: [{ question: "Which?", header: "Pick", options: [], multiSelect: false }],
};
const plan: PlanRequest = { type: "plan", id: "q3", askers: [asker], plan: "Do it.", file: "/p", allows: [] };

function personWho(answer: (call: McpCall) => Promise<CallResult> | CallResult) {
  const calls: McpCall[] = [];
  const mcp = {
    ready: async () => {},
    async call(call: McpCall) {
      calls.push(call);
      return answer(call);
    },
  };
  return { person: mcpPerson(mcp, "mcp__p__ask"), calls };
}

const says =
  (value: unknown, isError = false) =>
  () => ({ content: JSON.stringify(value), isError });

describe("--permission-prompt-tool", () => {
  test("is called as scripts expect, and its yes holds once", async () => {
    const { person, calls } = personWho(says({ behavior: "allow", updatedInput: { command: "rm x" } }));
    expect(await person.ask(permission, never)).toEqual({ type: "allow", span: "once" });
    expect(calls).toEqual([
      { name: "mcp__p__ask", input: { tool_name: "Bash", input: { command: "rm x" }, tool_use_id: "q1" } },
    ]);
  });

  test("gets the input of the call", async () => {
    const { person, calls } = personWho(says({ behavior: "allow" }));
    const carrying = { ...permission, input: { command: "rm x", timeout: 5 }, toolUse: "toolu_1" };
    expect(await person.ask(carrying, never)).toEqual({ type: "allow", span: "once" });
    expect(calls[0]?.input).toEqual({
      ...{ tool_name: "Bash", input: { command: "rm x", timeout: 5 }, tool_use_id: "toolu_1" },
    });
  });

  test("another input is allowed in its place, for the rules to decide on (fault 57)", async () => {
    const { person } = personWho(says({ behavior: "allow", updatedInput: { command: "ls" } }));
    const answer = { type: "allow", span: "once", input: { command: "ls" } };
    expect(await person.ask(permission, never)).toEqual(answer);
  });

  test("its no has its message", async () => {
    const { person } = personWho(says({ behavior: "deny", message: "Not on a Friday." }));
    expect(await person.ask(permission, never)).toEqual({
      type: "deny",
      span: "once",
      message: "Not on a Friday.",
    });
  });

  test.each<[string, () => CallResult, string]>([
    [
      "text that is not JSON",
      () => ({ content: "yes, of course", isError: false }),
      "did not answer with JSON",
    ],
    ["another word", says({ behavior: "maybe" }), "answered neither"],
    ["an error", () => ({ content: "it broke", isError: true }), "failed (it broke)"],
    ["a yes with an error", says({ behavior: "allow" }, true), "failed ("],
  ])("%s is a no that says why", async (_, answer, words) => {
    const { person } = personWho(answer);
    const said = await person.ask(permission, never);
    expect(said).toMatchObject({ type: "unavailable", reason: expect.stringContaining(words) });
    expect(said).toMatchObject({ reason: expect.stringMatching(/so the answer is no\.$/) });
  });

  test("a question is answered with its answers, a plan with a yes", async () => {
    const answering = personWho(says({ behavior: "allow", updatedInput: { answers: { "Which?": "b" } } }));
    expect(await answering.person.ask(question, never)).toEqual({
      type: "answers",
      answers: { "Which?": "b" },
    });
    expect(answering.calls[0]?.input).toMatchObject({ tool_name: "AskUserQuestion" });
    const plain = personWho(says({ behavior: "allow" }));
    expect(await plain.person.ask(question, never)).toMatchObject({ type: "unavailable" });
    expect(await plain.person.ask(plan, never)).toEqual({ type: "approve", mode: "default" });
    expect(plain.calls[1]?.input).toMatchObject({ tool_name: "ExitPlanMode", input: { plan: "Do it." } });
  });

  test("over a real server: one without such a tool says no, and so does one that does not answer in time", {
    tags: ["long"],
  }, async () => {
    const { mcp } = await ready({ good: server("good.ts") }, { limits: { callMs: 300 } });
    for (const [tool, why] of [
      ["echo", "not answer with JSON"],
      ["missing", "There is no MCP tool mcp__good__missing"],
      ["waits", "did not answer: 300 ms without progress"],
    ])
      expect(await mcpPerson(mcp, `mcp__good__${tool}`).ask(permission, never)).toMatchObject({
        ...{ type: "unavailable", reason: expect.stringContaining(String(why)) },
      });
  });
});
