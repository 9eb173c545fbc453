import type { PermissionOption, RequestPermissionResponse, ToolCall } from "@agentclientprotocol/sdk";
import type {
  PermissionRequest,
  PlanRequest,
  Question,
  QuestionRequest,
  UserAnswer,
  UserHandler,
} from "../../policy/user-requests.ts";
import { visibleDense, visibleLine } from "../../terminal/safe-text.ts";
import { elicitUser } from "../mcp-serve/elicit-user.ts";
import { aboutPermission } from "../permissions/format.ts";
import type { AcpClient } from "./acp-client.ts";
import { diffContent, showCall, textContent, toolCallId } from "./tool-calls.ts";

const ONCE: PermissionOption = { optionId: "once", name: "Yes, this once", kind: "allow_once" };
const NO: PermissionOption = { optionId: "no", name: "No", kind: "reject_once" };
const NEVER: PermissionOption = {
  optionId: "never",
  name: "No, and not again in this session",
  kind: "reject_always",
};

/**
 * Asks the user behind the client. Anything but a clear yes means no. `announced` gets the IDs of the calls that the
 * client is shown before they begin.
 */
export function askClient(client: AcpClient, announced: Set<string>): UserHandler {
  return {
    ask(request, signal) {
      switch (request.type) {
        case "permission":
          return askPermission(request, client, announced, signal);
        case "question":
          return client.showForm === null
            ? askQuestions(request, client, signal)
            : elicitUser(client.showForm).ask(request, signal);
        case "plan":
          return askPlan(request, client, signal);
        default:
          return request satisfies never;
      }
    },
  };
}

async function askPermission(
  request: PermissionRequest,
  client: AcpClient,
  announced: Set<string>,
  signal: AbortSignal,
): Promise<UserAnswer> {
  const { tool, input, title, grants, toolUse, askers, id, diff } = request;
  const rules = grants.map(visibleLine).join(", ");
  const session: PermissionOption[] =
    grants.length === 0
      ? []
      : [{ optionId: "session", name: `Yes, for this session: ${rules}`, kind: "allow_always" }];
  const { content: ofInput = [], ...shown } = showCall({ tool, input, title });
  const content = diff === undefined ? ofInput : diffContent(diff, input);
  const toolCall: ToolCall = {
    ...{ toolCallId: toolCallId(askers[0].actor, toolUse ?? id), ...shown, status: "pending" },
    content: [...content, textContent(aboutPermission(request, visibleDense, visibleLine))],
  };
  if (toolUse !== undefined) {
    announced.add(toolCall.toolCallId);
    client.show({ sessionUpdate: "tool_call", ...toolCall });
  }
  switch (chosen(await client.choose(toolCall, [ONCE, ...session, NO, NEVER], signal))) {
    case ONCE.optionId:
      return { type: "allow", span: "once" };
    case "session":
      return grants.length === 0 ? unanswered : { type: "allow", span: "session", grants };
    case NO.optionId:
      return { type: "deny", span: "once" };
    case NEVER.optionId:
      return { type: "deny", span: "session" };
    default:
      return unanswered;
  }
}

async function askPlan(
  { id, plan, allows, askers }: PlanRequest,
  client: AcpClient,
  signal: AbortSignal,
): Promise<UserAnswer> {
  const allowed = allows.flatMap(({ rules }) => rules.map(visibleLine));
  const rules = allowed.length === 0 ? "" : `\n\nApproval allows for this session: ${allowed.join(", ")}`;
  const outcome = await client.choose(
    {
      ...{ toolCallId: toolCallId(askers[0].actor, id), title: "The plan is ready. Carry it out?" },
      ...{ kind: "switch_mode", status: "pending" },
      content: [textContent(`${visibleDense(plan)}${rules}`)],
    },
    [
      { optionId: "default", name: "Yes, and ask before edits", kind: "allow_once" },
      { optionId: "acceptEdits", name: "Yes, and make edits without asking", kind: "allow_always" },
      { ...NO, name: "No, keep planning" },
    ],
    signal,
  );
  switch (chosen(outcome)) {
    case "default":
      return { type: "approve", mode: "default" };
    case "acceptEdits":
      return { type: "approve", mode: "acceptEdits" };
    case NO.optionId:
      return { type: "deny", span: "once" };
    default:
      return unanswered;
  }
}

/** One request for each question, for clients without forms: one of its options can be chosen. */
async function askQuestions(
  request: QuestionRequest,
  client: AcpClient,
  signal: AbortSignal,
): Promise<UserAnswer> {
  const answers: [question: string, label: string][] = [];
  for (const [index, question] of request.questions.entries()) {
    const outcome = await client.choose(
      {
        ...{ toolCallId: toolCallId(request.askers[0].actor, `${request.id}.${index}`) },
        ...{ title: visibleDense(question.question), kind: "other", status: "pending" },
        content: [textContent(aboutQuestion(question))],
      },
      [
        ...question.options.map(({ label }, at): PermissionOption => {
          return { optionId: String(at), name: visibleLine(label), kind: "allow_once" };
        }),
        { ...NO, name: "None of these" },
      ],
      signal,
    );
    const option = question.options[Number(chosen(outcome) ?? NO.optionId)];
    if (option === undefined) return { ...unanswered, reason: "The user chose none of the options." };
    answers.push([question.question, option.label]);
  }
  return { type: "answers", answers: Object.fromEntries(answers) };
}

function aboutQuestion({ options }: Question): string {
  return options
    .map(({ label, description }) => `${visibleLine(label)}: ${visibleLine(description)}`)
    .join("\n");
}

function chosen(outcome: RequestPermissionResponse["outcome"]): string | undefined {
  return outcome.outcome === "selected" ? outcome.optionId : undefined;
}

const unanswered: Extract<UserAnswer, { type: "unavailable" }> = {
  type: "unavailable",
  reason: "The user closed the question without an answer.",
};
