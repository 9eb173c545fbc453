import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { fieldsOf, parseJson } from "../lib/json.ts";
import type { CallResult } from "../mailbox/messages.ts";
import type { UserAnswer, UserHandler, UserRequest } from "../policy/user-requests.ts";
import type { Mcp } from "./open-mcp.ts";

/** The tool's input, as scripts for `--permission-prompt-tool` expect it. */
interface PromptCall {
  readonly tool_name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
}

/** The tool's answer: this as JSON, in its only text. */
const Reply = z.discriminatedUnion("behavior", [
  z.object({ behavior: z.literal("allow"), updatedInput: z.optional(z.record(z.string(), z.unknown())) }),
  z.object({ behavior: z.literal("deny"), message: z.optional(z.string()) }),
]);

const Answers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

const READY_MS = 30_000;

/** Has a tool answer in the user's place. Anything but a clear yes is a no that says why. */
export function mcpPerson(mcp: Pick<Mcp, "call" | "ready">, name: string): UserHandler {
  let ready: Promise<void> | null = null;
  return {
    async ask(request, signal) {
      ready ??= mcp.ready(READY_MS);
      await ready;
      return askTool(mcp, name, request, signal);
    },
  };
}

async function askTool(
  mcp: Pick<Mcp, "call">,
  name: string,
  request: UserRequest,
  signal: AbortSignal,
): Promise<UserAnswer> {
  const result = await mcp.call({ name, input: toPromptCall(request) }, signal);
  const who = `The permission prompt tool ${name}`;
  const json = jsonOf(result);
  return typeof json === "string" ? noAnswer(who, json) : promptAnswer(request, json.value, who);
}

/** Returns what a reply to such a call means; anything but a clear yes is a no, with a reason that begins with `who`. */
export function promptAnswer(request: UserRequest, json: unknown, who: string): UserAnswer {
  const { data: reply } = z.safeParse(Reply, json);
  if (reply === undefined)
    return noAnswer(who, 'answered neither {"behavior":"allow"} nor {"behavior":"deny"}');
  if (reply.behavior === "deny")
    return { type: "deny", span: "once", ...(reply.message === undefined ? {} : { message: reply.message }) };
  const { updatedInput } = reply;
  switch (request.type) {
    case "permission":
      // Scripts return the input unchanged; only another one is a change.
      if (updatedInput === undefined || isDeepStrictEqual(updatedInput, toPromptCall(request).input))
        return { type: "allow", span: "once" };
      return { type: "allow", span: "once", input: updatedInput };
    case "question": {
      const { data } = z.safeParse(Answers, updatedInput?.["answers"]);
      if (data !== undefined) return { type: "answers", answers: data };
      return noAnswer(who, "answers for permissions and chose none of the options");
    }
    case "plan":
      return { type: "approve", mode: "default" };
    default:
      return request satisfies never;
  }
}

/** Returns a request as scripts for `--permission-prompt-tool` expect it. */
export function toPromptCall(request: UserRequest): PromptCall {
  switch (request.type) {
    case "permission": {
      const { tool, input, toolUse, id } = request;
      return { tool_name: tool, input: fieldsOf(input), tool_use_id: toolUse ?? id };
    }
    case "question": {
      const { questions, id } = request;
      return { tool_name: "AskUserQuestion", input: { questions }, tool_use_id: id };
    }
    case "plan":
      return { tool_name: "ExitPlanMode", input: { plan: request.plan }, tool_use_id: request.id };
    default:
      return request satisfies never;
  }
}

/** Returns the JSON of a result, or half a sentence that says what is wrong with it. */
function jsonOf({ content, isError }: CallResult): { readonly value: unknown } | string {
  const texts =
    typeof content === "string"
      ? [content]
      : content.flatMap((one) => (one.type === "text" ? [one.text] : []));
  const text = texts.join("");
  if (isError) return `failed (${text})`;
  const value = parseJson(text);
  return value === undefined ? "did not answer with JSON" : { value };
}

function noAnswer(who: string, why: string): UserAnswer {
  return { type: "unavailable", reason: `${who} ${why}, so the answer is no.` };
}

/** Returns why there is no such tool; null if it is available, or its server is still starting. */
export function whyNoPromptTool(mcp: Pick<Mcp, "tools" | "servers">, name: string): string | null {
  if (mcp.tools().some((tool) => tool.name === name)) return null;
  const server = mcp.servers().find(({ slug }) => name.startsWith(`mcp__${slug}__`));
  if (server?.state.type === "starting") return null;
  const there = mcp.tools().map((tool) => tool.name);
  const others =
    there.length === 0 ? "no MCP server offers any" : `there are ${there.slice(0, 20).join(", ")}`;
  const failed = server && "reason" in server.state && server.state.reason ? ` ${server.state.reason}` : "";
  return `There is no tool ${name} that could answer for permissions, so nothing is run; ${others}.${failed}`;
}
