import type { Span, UserAnswer } from "../asks.ts";
import type { ChoiceOutcome, Denied, PermissionOutcome, PlanOutcome } from "./questions.ts";

/** What an answer means for a call that waits for permission. Never more grants than were shown. */
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
      const advice = "Do not try the same in another way: go on without it, or report that it is needed.";
      return { outcome: saidNo(answer.message, advice), span: answer.span };
    }
    default:
      return { outcome: unanswered(answer, "Go on without it, or report that it is needed."), span: "once" };
  }
}

/** What an answer means for AskUserQuestion. */
export function choiceOutcome(answer: UserAnswer): ChoiceOutcome {
  if (answer.type === "answers") return answer;
  if (answer.type === "deny") return saidNo(answer.message, "They do not want to answer this.");
  return unanswered(answer);
}

/** What an answer means for a plan. */
export function planOutcome(answer: UserAnswer): PlanOutcome {
  if (answer.type === "approve") return { type: "approved", mode: answer.mode };
  if (answer.type === "deny") return saidNo(answer.message, "They gave no reason.");
  return unanswered(answer);
}

export function nobody(reason: string): Denied {
  return { type: "deny", by: "nobody", reason };
}

/** The person's own words say what to do next; without them `advice` does. */
function saidNo(message: string | undefined, advice: string): Denied {
  const words = message?.trim() ?? "";
  const ended = /[.!?…]["”)]*$/.test(words) ? words : `${words}.`;
  const reason = words === "" ? `The person said no. ${advice}` : `The person said no: ${ended}`;
  return { type: "deny", by: "person", reason };
}

/** Whatever is no answer to this kind of question is a no. */
function unanswered(answer: UserAnswer, advice?: string): Denied {
  const reason =
    answer.type === "nobody"
      ? answer.reason
      : `The answer was one to another kind of question (${answer.type}), so it counts as no.`;
  return nobody([reason, advice].filter(Boolean).join(" "));
}
