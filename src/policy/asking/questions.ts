import { hash } from "node:crypto";
import * as z from "zod/mini";
import { canonicalJson } from "../../lib/json.ts";
import type { CallId } from "../../mailbox/ids.ts";
import type { WriteScope } from "../confinement/write-scope.ts";
import type {
  Answers,
  Asker,
  PermissionRequest,
  PlanRequest,
  QuestionRequest,
  Span,
  UserAnswer,
} from "../user-requests.ts";

/** What the rules and the mode now say of a waiting call: still a question, or not. */
export type Recheck =
  | { readonly type: "ask" }
  | { readonly type: "allow" }
  | { readonly type: "deny"; readonly reason: string };

/** The actor and call that ask; one call asks one thing at a time. */
export interface QuestionContext {
  readonly asker: Asker;
  readonly call: CallId;
}

export interface PermissionQuestion
  extends QuestionContext,
    Omit<PermissionRequest, "type" | "id" | "askers"> {
  /** The same input in another directory is another call. */
  readonly cwd: string;
  /** Where the caller works: other rules may apply there. */
  readonly scope: WriteScope;
  /** Always a question, by its nature or because a hook asks for it; rules can still deny it. */
  readonly always?: true;
  /** Called when the user has allowed it, before other questions are checked again. */
  onAllowed?(): void;
  /** Returns what rules and mode say of it now. Default: it stays a question. */
  recheck?(): Recheck;
}

export interface ChoiceQuestion extends QuestionContext, Pick<QuestionRequest, "questions"> {}

export interface PlanQuestion extends QuestionContext, Omit<PlanRequest, "type" | "id" | "askers"> {
  /** Called when the user has approved it, before other questions are checked again. */
  onApproved(mode: Approval): void;
}

/** The mode of a conversation after its plan is approved. */
export type Approval = "default" | "acceptEdits";

/**
 * A denial of any request. `by`: the user, no usable answer, the rules, which changed while it waited;
 * or the agent, which was stopped. `reason` is for the agent.
 */
export interface Denied {
  readonly type: "deny";
  readonly by: "person" | "nobody" | "rules" | "agent"; // word-ok: as recorded
  readonly reason: string;
}

/** `grants`: what the user also allowed for the session. `input`: allowed only with this input. */
export type PermissionOutcome =
  | {
      readonly type: "allow";
      readonly grants: readonly string[];
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | Denied;
export type ChoiceOutcome = { readonly type: "answers"; readonly answers: Answers } | Denied;
export type PlanOutcome = { readonly type: "approved"; readonly mode: Approval } | Denied;

/**
 * One call, whichever actor makes it: the same tool with the same effect in the same directory, under the same rules.
 */
export type SameCall = Pick<PermissionQuestion, "tool" | "input" | "cwd" | "scope">;

/** Returns the same key for equal calls; null for a call that equals no other. */
export function callKey({ tool, input, cwd, scope }: SameCall): string | null {
  try {
    // A model may write the same fields in another order. A hash, because a refusal is remembered for the session and
    // an input can be a whole file.
    return hash("sha256", canonicalJson([tool, cwd, scope.root, scope.atMost, plain(input)]), "base64");
  } catch {
    // Nested too deeply, or not JSON.
    return null;
  }
}

/** Adds the rules to choose from: one answer serves all callers with this key. */
export function questionKey(question: PermissionQuestion): string | null {
  const call = callKey(question);
  return call === null ? null : JSON.stringify([call, ...question.grants]);
}

/** Fields that only describe a call, such as Bash's `description`, do not make it another call. */
function plain(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !("command" in input)) return input;
  const { description: _, ...rest } = { description: undefined, ...input };
  return rest;
}

/** Reads what a script or a library user's code answered: an invalid answer counts as none. */
export function readAnswer(value: unknown): UserAnswer {
  const read = z.safeParse(answerSchema(), value);
  if (read.success) return read.data;
  return { type: "unavailable", reason: "The reply was not an answer, so it counts as no." };
}

function answerSchema(): z.ZodMiniType<UserAnswer> {
  const span = z.enum(["once", "session"]);
  const text = z.string();
  return z.discriminatedUnion("type", [
    z.object({
      ...{ type: z.literal("allow"), span, grants: z.exactOptional(z.array(text)) },
      input: z.exactOptional(z.record(text, z.unknown())),
    }),
    z.object({ type: z.literal("deny"), span, message: z.exactOptional(text) }),
    z.object({ type: z.literal("answers"), answers: z.record(text, z.union([text, z.array(text)])) }),
    z.object({ type: z.literal("approve"), mode: z.enum(["default", "acceptEdits"]) }),
    z.object({ type: z.literal("unavailable"), reason: text }),
  ]);
}

/** Returns what an answer means for a call that waits for permission. Never more grants than were shown. */
export function permissionOutcome(
  answer: UserAnswer,
  shown: readonly string[],
): { readonly outcome: PermissionOutcome; readonly span: Span } {
  switch (answer.type) {
    case "allow": {
      const { span, grants: chosen = shown, input } = answer;
      const grants = span === "once" ? [] : shown.filter((rule) => chosen.includes(rule));
      return { outcome: { type: "allow", grants, ...(input === undefined ? {} : { input }) }, span };
    }
    case "deny": {
      const advice = "Do not try the same in another way: continue without it, or report that it is needed.";
      return { outcome: denyByUser(answer.message, advice), span: answer.span };
    }
    default:
      return {
        outcome: unanswered(answer, "Continue without it, or report that it is needed."),
        span: "once",
      };
  }
}

/** Returns what an answer means for AskUserQuestion. */
export function choiceOutcome(answer: UserAnswer): ChoiceOutcome {
  if (answer.type === "answers") return answer;
  if (answer.type === "deny") return denyByUser(answer.message, "They do not want to answer this.");
  return unanswered(answer);
}

/** Returns what an answer means for a plan. */
export function planOutcome(answer: UserAnswer): PlanOutcome {
  if (answer.type === "approve") return { type: "approved", mode: answer.mode };
  if (answer.type === "deny") return denyByUser(answer.message, "They gave no reason.");
  return unanswered(answer);
}

export function nobody(reason: string): Denied {
  return { type: "deny", by: "nobody", reason }; // word-ok: as recorded
}

/** The user's own text says what to do next; without one, `advice` does. */
function denyByUser(message: string | undefined, advice: string): Denied {
  const text = message?.trim() ?? "";
  const sentence = /[.!?…]["”)]*$/.test(text) ? text : `${text}.`;
  const reason = text === "" ? `The user said no. ${advice}` : `The user said no: ${sentence}`;
  return { type: "deny", by: "person", reason };
}

/** An answer of another type is a no. */
function unanswered(answer: UserAnswer, advice?: string): Denied {
  const reason =
    answer.type === "unavailable"
      ? answer.reason
      : `The answer was to another kind of question (${answer.type}), so it counts as no.`;
  return nobody([reason, advice].filter(Boolean).join(" "));
}
