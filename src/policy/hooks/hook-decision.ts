import * as z from "zod/mini";
import { isObject, parseJson } from "../../lib/json.ts";
import type { HookEvent } from "../../settings/hook-events.ts";
import type { HookEnd } from "./hook-process.ts";
import type { Hook } from "./parse-hooks.ts";

/** The decision of one hook, in whichever form it was printed. */
export interface HookDecision {
  readonly verdict?: "allow" | "ask" | "block";
  readonly reason?: string;
  /** PreToolUse: the input that replaces the call's. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** UserPromptSubmit: the text that replaces the user's. */
  readonly prompt?: string;
  /** For the model. */
  readonly text?: string;
  /** Why the conversation must end. */
  readonly stop?: string;
  /** For the user. */
  readonly message?: string;
}

/** What is wrong with a hook. `why` completes the sentence "The hook …"; each kind is reported once per hook. */
export interface HookProblem {
  readonly kind: "timeout" | "crash" | "start" | "exit" | "flood" | "json" | "unused" | "model" | "answer";
  readonly why: string;
}

export interface HookResponse {
  readonly decision: HookDecision;
  readonly problem?: HookProblem;
}

/** Events at which a hook decides whether something happens; only there can a failure be a no. */
const DECIDING: readonly HookEvent[] = [
  "PreToolUse",
  "PermissionRequest",
  "UserPromptSubmit",
  "TaskCreated",
  "TaskCompleted",
  "WorktreeCreate",
];
const NO_REASON = "A hook decided this without giving a reason.";

/** Reads what a hook decided from how it ended and what it printed. */
export function readDecision(hook: Hook, end: HookEnd): HookResponse {
  switch (end.type) {
    case "passed":
      return readOutput(hook, end.stdout.trim());
    case "blocked":
      return { decision: { verdict: "block", reason: end.stderr.trim() || NO_REASON } };
    case "complained": {
      const problem = { kind: "exit", why: end.why } as const;
      return hook.event === "WorktreeCreate" ? failHook(hook, problem) : { decision: {}, problem };
    }
    case "flooded":
      return failHook(hook, { kind: "flood", why: end.why }, textDecision(hook, end.stdout));
    case "failed":
      return failHook(hook, { kind: end.kind, why: end.why });
    case "cancelled":
      return {
        decision: DECIDING.includes(hook.event)
          ? { verdict: "block", reason: "It was cancelled while a hook looked at it." }
          : {},
      };
    default:
      return end satisfies never;
  }
}

/** True if a failure of this hook blocks. */
export function failsClosed({ event, failClosed }: Hook): boolean {
  return failClosed && DECIDING.includes(event);
}

/** Returns what happens at an event whose hook should have asked a model, and has no answer. */
export function unclearEffect({ event, asksIfUnclear }: Hook): "ask" | "block" | null {
  if (!asksIfUnclear) return null;
  return event === "PreToolUse" ? "ask" : event === "UserPromptSubmit" ? "block" : null;
}

/** `otherwise`: what still counts if its failure is not a no. */
export function failHook(hook: Hook, problem: HookProblem, otherwise: HookDecision = {}): HookResponse {
  const verdict = unclearEffect(hook);
  if (!failsClosed(hook) && verdict !== null) {
    const reason = `A hook that checks this ${problem.why}. Correct the hook, or remove it (${hook.file}).`;
    return { decision: { verdict, reason }, problem };
  }
  if (!failsClosed(hook)) return { decision: otherwise, problem };
  const reason = `A hook that must agree ${problem.why}, so this is not done. The user has to correct the hook (${hook.file}).`;
  return { decision: { verdict: "block", reason }, problem };
}

/** Reads what a hook that succeeded has printed: text, an envelope, or an object with a new prompt (A22.11). */
function readOutput(hook: Hook, text: string): HookResponse {
  if (!text.startsWith("{")) return { decision: textDecision(hook, text) };
  const broken = (why: string) => failHook(hook, { kind: "json", why }, textDecision(hook, text));
  const value = parseJson(text);
  if (!isObject(value)) return broken("printed what begins like a JSON object and is none");
  const Envelope = envelopeSchema();
  if (!Object.keys(Envelope.def.shape).some((key) => Object.hasOwn(value, key)))
    return { decision: objectDecision(hook, value, text) };
  const { data, error } = z.safeParse(Envelope, value);
  const unused = data ? unusedKeys(value, data) : [];
  if (unused.length > 0)
    return {
      decision: envelopeDecision(data ?? {}),
      problem: { kind: "unused", why: `printed ${unused.join(", ")}, which is not used here` },
    };
  if (data) return { decision: envelopeDecision(data) };
  const [issue] = error.issues;
  const at = z.core.toDotPath(issue?.path ?? []);
  return broken(`printed JSON in which ${at} ${issue?.message ?? "is not valid"}`);
}

/** Text is for the model, except before a call: what a linter prints there is neither an input nor an answer (A5.6). */
function textDecision({ event }: Hook, text: string): HookDecision {
  return event === "PreToolUse" || text.trim() === "" ? {} : { text: text.trim() };
}

function objectDecision(hook: Hook, value: Readonly<Record<string, unknown>>, text: string): HookDecision {
  // Many hooks print `{}` for no decision.
  if (Object.keys(value).length === 0) return {};
  const { prompt } = value;
  if (hook.event === "UserPromptSubmit" && typeof prompt === "string") return { prompt };
  // Before a call, an object that is not a hook response is a log or a report; it must not become the call's input (A22.11).
  return textDecision(hook, text);
}

/** The JSON that hooks of other tools print; all of it is optional. */
function envelopeSchema() {
  const text = z.optional(z.string("must be a text"));
  const flag = z.optional(z.boolean("must be true or false"));
  return z.object({
    continue: flag,
    stopReason: text,
    /** Accepted without effect: only the model sees what a hook prints. */
    suppressOutput: flag,
    systemMessage: text,
    decision: z.optional(z.enum(["approve", "block"], "must be approve or block")),
    reason: text,
    hookSpecificOutput: z.optional(
      z.object(
        {
          permissionDecision: z.optional(z.enum(["allow", "deny", "ask"], "must be allow, deny or ask")),
          permissionDecisionReason: text,
          decision: z.optional(
            z.object(
              {
                behavior: z.enum(["allow", "deny"], "must be allow or deny"),
                message: text,
                interrupt: flag,
                updatedInput: z.optional(z.record(z.string(), z.unknown(), "must be an object")),
              },
              "must be an object",
            ),
          ),
          updatedInput: z.optional(z.record(z.string(), z.unknown(), "must be an object")),
          additionalContext: text,
          /** Troupe's own: UserPromptSubmit has no other way to change a prompt. */
          updatedPrompt: text,
        },
        "must be an object",
      ),
    ),
  });
}

/** Returns the keys that hooks of other tools may print and that have no effect here: none is dropped without a word. */
function unusedKeys(printed: unknown, used: unknown, at = ""): string[] {
  if (!isObject(printed) || !isObject(used) || at.endsWith("updatedInput.")) return [];
  return Object.keys(printed).flatMap((key) => {
    if (key === "hookEventName") return [];
    return Object.hasOwn(used, key) ? unusedKeys(printed[key], used[key], `${at}${key}.`) : [`${at}${key}`];
  });
}

function envelopeDecision(envelope: z.infer<ReturnType<typeof envelopeSchema>>): HookDecision {
  const { hookSpecificOutput: own = {}, decision, systemMessage } = envelope;
  const { decision: answer } = own;
  const permission = own.permissionDecision ?? answer?.behavior;
  // If one hook gives two verdicts, the stricter one counts.
  const verdict =
    permission === "deny" || decision === "block"
      ? "block"
      : (permission ?? (decision === "approve" ? "allow" : undefined));
  const reason = own.permissionDecisionReason ?? answer?.message ?? envelope.reason;
  const input = own.updatedInput ?? answer?.updatedInput;
  const ends = envelope.continue === false || (answer?.behavior === "deny" && answer.interrupt);
  const text = own.additionalContext?.trim();
  return {
    ...(verdict && { verdict, reason: reason?.trim() || NO_REASON }),
    ...(input && { input }),
    ...(own.updatedPrompt !== undefined && { prompt: own.updatedPrompt }),
    ...(text && { text }),
    ...(ends && { stop: envelope.stopReason?.trim() || answer?.message?.trim() || "A hook ended it." }),
    ...(systemMessage && { message: systemMessage }),
  };
}

/** Combines decisions in their configured order: block > ask > allow; the last input and prompt count; texts are joined. */
export function combineDecisions(decisions: readonly HookDecision[]): Omit<HookDecision, "message"> {
  const verdict = (["block", "ask", "allow"] as const).find((one) =>
    decisions.some((decision) => decision.verdict === one),
  );
  const reason = join(decisions.filter((one) => one.verdict === verdict).map((one) => one.reason));
  const input = decisions.findLast((one) => one.input !== undefined)?.input;
  const prompt = decisions.findLast((one) => one.prompt !== undefined)?.prompt;
  const text = join(decisions.map((one) => one.text));
  const stop = decisions.find((one) => one.stop !== undefined)?.stop;
  return {
    ...(verdict && { verdict, ...(reason && { reason }) }),
    ...(input && { input }),
    ...(prompt !== undefined && { prompt }),
    ...(text && { text }),
    ...(stop !== undefined && { stop }),
  };
}

function join(texts: readonly (string | undefined)[]): string {
  return [...new Set(texts.filter((text) => text !== undefined))].join("\n");
}
