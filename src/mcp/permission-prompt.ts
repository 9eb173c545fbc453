import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { errorMessage } from "../lib/errors.ts";
import { type Clock, pause } from "../mailbox/clock.ts";
import type { CallResult } from "../mailbox/messages.ts";
import type { UserAnswer, UserHandler, UserRequest } from "../policy/asks.ts";
import type { Mcp } from "./mcp.ts";

/** What the tool is called with: what scripts for `--permission-prompt-tool` expect. */
interface PromptCall {
  readonly tool_name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
}

/** What it answers: this as JSON, in its only text. */
const Reply = z.discriminatedUnion("behavior", [
  z.object({ behavior: z.literal("allow"), updatedInput: z.optional(z.record(z.string(), z.unknown())) }),
  z.object({ behavior: z.literal("deny"), message: z.optional(z.string()) }),
]);
type Reply = z.infer<typeof Reply>;

const Answers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export interface PromptToolParts {
  readonly clock: Clock;
  /** Milliseconds an answer may take; a script that asks a person elsewhere may need long. */
  readonly patienceMs?: number;
  /** Milliseconds to wait for its server at the first question. */
  readonly readyMs?: number;
}

const PATIENCE_MS = 600_000;
const READY_MS = 30_000;

/**
 * A tool of an MCP server that answers in the person's place (`--permission-prompt-tool mcp__server__tool`). Whatever
 * is no clear yes is a no that says so: an error, another answer, no answer in time. The call itself passes no gate.
 */
export function mcpPerson(
  mcp: Pick<Mcp, "call" | "ready">,
  name: string,
  parts: PromptToolParts,
): UserHandler {
  const { clock, patienceMs = PATIENCE_MS, readyMs = READY_MS } = parts;
  let ready: Promise<void> | null = null;
  return {
    async ask(ask, signal) {
      ready ??= mcp.ready(readyMs);
      await ready;
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const settled = new AbortController();
      const late = pause(clock, patienceMs, settled.signal).then((): UserAnswer => {
        over.abort();
        return nobody(
          `The permission prompt tool ${name} did not answer within ${patienceMs / 1_000} s, so the answer is no.`,
        );
      });
      try {
        return await Promise.race([answered(mcp, name, ask, either), late]);
      } catch (error) {
        signal.throwIfAborted();
        const why = errorMessage(error);
        return nobody(`The permission prompt tool ${name} could not be asked (${why}), so the answer is no.`);
      } finally {
        settled.abort();
      }
    },
  };
}

async function answered(
  mcp: Pick<Mcp, "call">,
  name: string,
  ask: UserRequest,
  signal: AbortSignal,
): Promise<UserAnswer> {
  const call = callFor(ask);
  const result = await mcp.call({ name, input: call }, signal);
  const reply = replyIn(result);
  if (typeof reply === "string")
    return nobody(`The permission prompt tool ${name} ${reply}, so the answer is no.`);
  if (reply.behavior === "deny")
    return { type: "deny", span: "once", ...(reply.message === undefined ? {} : { message: reply.message }) };
  return allowed(name, ask, call, reply);
}

/** What a yes means, by what was asked. */
function allowed(
  name: string,
  ask: UserRequest,
  { input }: PromptCall,
  { updatedInput }: Extract<Reply, { behavior: "allow" }>,
): UserAnswer {
  switch (ask.type) {
    case "permission":
      // Scripts give the input back as it was; only another one is a change.
      if (updatedInput === undefined || isDeepStrictEqual(updatedInput, input))
        return { type: "allow", span: "once" };
      return { type: "allow", span: "once", input: updatedInput };
    case "question": {
      const answers = z.safeParse(Answers, updatedInput?.["answers"]);
      if (answers.success) return { type: "answers", answers: answers.data };
      return nobody(
        `The permission prompt tool ${name} answers for permissions and chose none of the options.`,
      );
    }
    case "plan":
      return { type: "approve", mode: "default" };
    default:
      return ask satisfies never;
  }
}

function callFor(ask: UserRequest): PromptCall {
  switch (ask.type) {
    case "permission":
      return { tool_name: ask.tool, input: inputOf(ask), tool_use_id: ask.toolUse ?? ask.id };
    case "question":
      return {
        tool_name: "AskUserQuestion",
        input: { questions: ask.questions },
        tool_use_id: ask.id,
      };
    case "plan":
      return { tool_name: "ExitPlanMode", input: { plan: ask.plan }, tool_use_id: ask.id };
    default:
      return ask satisfies never;
  }
}

/** Every tool's input is an object. */
function inputOf({ input }: Extract<UserRequest, { type: "permission" }>): Record<string, unknown> {
  return typeof input === "object" && input !== null ? { ...input } : {};
}

/** The reply, or half a sentence: what was wrong with it. */
function replyIn({ content, isError }: CallResult): Reply | string {
  const text = typeof content === "string" ? content : textIn(content);
  if (isError) return `failed (${text})`;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return "answered no JSON";
  }
  const reply = z.safeParse(Reply, json);
  return reply.success ? reply.data : 'answered neither {"behavior":"allow"} nor {"behavior":"deny"}';
}

function textIn(content: Exclude<CallResult["content"], string>): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

function nobody(reason: string): UserAnswer {
  return { type: "nobody", reason };
}
