import { isObject } from "../../lib/objects.ts";
import type { HookEvent } from "../../mailbox/hook-events.ts";
import type { Hook } from "./hooks.ts";
import { type Envelope, replyOf } from "./reply.ts";
import type { HookEnd } from "./run-hook.ts";

/** What one hook wants, whichever way it said so. */
export interface HookDecision {
  readonly verdict?: "allow" | "ask" | "block";
  readonly reason?: string;
  /** PreToolUse: the input that takes the place of the call's. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** UserPromptSubmit: the text that takes the place of the person's. */
  readonly prompt?: string;
  /** For the model to read. */
  readonly text?: string;
  /** The conversation is to end, and why. */
  readonly stop?: string;
  /** For the person to read. */
  readonly message?: string;
}

/** What is wrong with a hook. `why` completes the sentence "The hook …"; each kind is told once per hook. */
export interface Problem {
  readonly kind: "timeout" | "crash" | "start" | "exit" | "flood" | "json";
  readonly why: string;
}

export interface Heard {
  readonly opinion: HookDecision;
  readonly problem?: Problem;
}

/** Events at which a hook decides whether something happens; only there can its failing be a no. */
const DECIDING: ReadonlySet<HookEvent> = new Set(["PreToolUse", "UserPromptSubmit"]);
const NOTHING: HookDecision = {};
const NO_REASON = "A hook decided this without giving a reason.";
const CANCELLED: HookDecision = { verdict: "block", reason: "It was cancelled while a hook looked at it." };

export function readDecision(hook: Hook, end: HookEnd): Heard {
  switch (end.type) {
    case "passed":
      return heardOf(hook, end.stdout);
    case "blocked":
      return { opinion: { verdict: "block", reason: end.stderr.trim() || NO_REASON } };
    case "complained":
      return { opinion: NOTHING, problem: { kind: "exit", why: end.why } };
    case "flooded":
      return failed(hook, { kind: "flood", why: end.why }, textOpinion(hook, end.stdout));
    case "failed":
      return failed(hook, { kind: end.kind, why: end.why });
    case "cancelled":
      return { opinion: DECIDING.has(hook.event) ? CANCELLED : NOTHING };
    default:
      return end satisfies never;
  }
}

/** Whether this hook's failing blocks. */
export function failsClosed({ event, failClosed }: Hook): boolean {
  return failClosed && DECIDING.has(event);
}

/** `otherwise`: what is still taken from it where its failing is not a no. */
function failed(hook: Hook, problem: Problem, otherwise: HookDecision = NOTHING): Heard {
  if (!failsClosed(hook)) return { opinion: otherwise, problem };
  const reason = `A hook that must agree ${problem.why}, so this is not done. The person has to correct the hook (${hook.file}).`;
  return { opinion: { verdict: "block", reason }, problem };
}

function heardOf(hook: Hook, stdout: string): Heard {
  const reply = replyOf(stdout);
  switch (reply.type) {
    case "text":
      return { opinion: textOpinion(hook, reply.text) };
    case "object":
      return { opinion: objectOpinion(hook, reply.value, reply.text) };
    case "envelope":
      return { opinion: envelopeOpinion(reply.envelope) };
    case "broken":
      return failed(hook, { kind: "json", why: reply.why }, textOpinion(hook, reply.text));
    default:
      return reply satisfies never;
  }
}

/** Text is for the model, except before a call: what a linter prints there is neither an input nor an answer (A5.6). */
function textOpinion({ event }: Hook, text: string): HookDecision {
  return event === "PreToolUse" || text.trim() === "" ? NOTHING : { text: text.trim() };
}

/** The plain contract: what is printed takes the place of what was read (A22.11). */
function objectOpinion(hook: Hook, value: Readonly<Record<string, unknown>>, text: string): HookDecision {
  // `{}` is how many hooks say that they have nothing to say.
  if (Object.keys(value).length === 0) return NOTHING;
  if (hook.event === "UserPromptSubmit") {
    const { prompt } = value;
    return typeof prompt === "string" ? { prompt } : textOpinion(hook, text);
  }
  if (hook.event !== "PreToolUse") return textOpinion(hook, text);
  // A filter that passes the whole event on, changed or not, means the input in it.
  const input = "hook_event_name" in value ? value["tool_input"] : value;
  return isObject(input) ? { input } : NOTHING;
}

function envelopeOpinion(envelope: Envelope): HookDecision {
  const { hookSpecificOutput: own = {}, decision, systemMessage } = envelope;
  const verdict = verdictOf(own.permissionDecision, decision);
  const reason = own.permissionDecisionReason ?? envelope.reason;
  const text = own.additionalContext?.trim();
  return {
    ...(verdict && { verdict, reason: reason?.trim() || NO_REASON }),
    ...(own.updatedInput && { input: own.updatedInput }),
    ...(own.updatedPrompt !== undefined && { prompt: own.updatedPrompt }),
    ...(text && { text }),
    ...(envelope.continue === false && { stop: envelope.stopReason?.trim() || "A hook ended it." }),
    ...(systemMessage && { message: systemMessage }),
  };
}

function verdictOf(
  permission: "allow" | "deny" | "ask" | undefined,
  decision: "approve" | "block" | undefined,
): HookDecision["verdict"] {
  // Two words of one hook that differ: the stricter one.
  if (permission === "deny" || decision === "block") return "block";
  return permission ?? (decision === "approve" ? "allow" : undefined);
}
