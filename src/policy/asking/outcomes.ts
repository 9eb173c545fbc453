import * as z from "zod/mini";
import type { Span, UserAnswer } from "../user-requests.ts";
import type { ChoiceOutcome, Denied, PermissionOutcome, PlanOutcome } from "./questions.ts";

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
