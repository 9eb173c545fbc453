import type { RequestPermissionResponse, SessionUpdate, ToolCall } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { askClient } from "../../../src/cli/acp/ask-client.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type {
  PermissionRequest,
  PlanRequest,
  QuestionRequest,
  UserRequest,
} from "../../../src/policy/user-requests.ts";

const askers = [{ actor: MAIN, path: ["main conversation"] }] as const;
const permission: PermissionRequest = {
  ...{ type: "permission", id: "p1", askers, tool: "Bash", level: "execute", input: { command: "make" } },
  ...{ toolUse: "toolu_1", title: "make \u202edeb\u0007", details: [], reason: "No rule allows it." },
  grants: ["Bash(make:*)"],
};
const plan: PlanRequest = { type: "plan", id: "p2", askers, plan: "First.", file: "/p.md", allows: [] };
const options = [
  { label: "Red", description: "as blood" },
  { label: "Blue", description: "as the sea" },
];
const question: QuestionRequest = {
  ...{ type: "question", id: "p3", askers },
  questions: [{ question: "Which?", header: "Colour", options, multiSelect: false }],
};

async function answered(request: UserRequest, optionId: string | null) {
  const shown: SessionUpdate[] = [];
  const asked: ToolCall[] = [];
  const outcome: RequestPermissionResponse["outcome"] =
    optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  const announced = new Set<string>();
  const user = askClient(
    {
      show: (update) => void shown.push(update),
      async choose(call) {
        asked.push(call);
        return outcome;
      },
      showForm: null,
    },
    announced,
  );
  return { answer: await user.ask(request, new AbortController().signal), shown, asked, announced };
}

test.each<[string, UserRequest, string | null, object]>([
  ["once", permission, "once", { type: "allow", span: "once" }],
  ["for the session", permission, "session", { type: "allow", span: "session", grants: ["Bash(make:*)"] }],
  [
    "for the session, which was not offered",
    { ...permission, grants: [] },
    "session",
    { type: "unavailable" },
  ],
  ["no", permission, "no", { type: "deny", span: "once" }],
  ["never", permission, "never", { type: "deny", span: "session" }],
  ["cancelled", permission, null, { type: "unavailable" }],
  ["an option of its own", permission, "__proto__", { type: "unavailable" }],
  ["a plan", plan, "acceptEdits", { type: "approve", mode: "acceptEdits" }],
  ["a plan that is refused", plan, "no", { type: "deny", span: "once" }],
  ["a plan that is closed", plan, null, { type: "unavailable" }],
  ["an option", question, "1", { type: "answers", answers: { "Which?": "Blue" } }],
  ["an option that does not exist", question, "7", { type: "unavailable" }],
  ["none of the options", question, "no", { type: "unavailable" }],
])("an answer is what the user chose: %s", async (_, request, optionId, expected) => {
  expect((await answered(request, optionId)).answer).toMatchObject(expected);
});

test("shows a call before it asks about it, with every character of it visible", async () => {
  const { shown, asked, announced } = await answered(permission, "no");
  expect(shown).toEqual([{ sessionUpdate: "tool_call", ...asked[0] }]);
  expect([...announced]).toEqual([asked[0]?.toolCallId]);
  expect(asked[0]?.title).toBe("Bash: make <U+202E>deb␇");
  // A question is not a call.
  expect((await answered(question, "0")).shown).toEqual([]);
});
