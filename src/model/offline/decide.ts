import type { MessageParam } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { ModelRequest } from "../client.ts";
import { answer, isAnswerable, questionsIn } from "./answer.ts";
import { carryOut } from "./carry-out.ts";
import { notesOf, type Unanswered, unanswered, wantsNotes } from "./conversation.ts";
import { instructionsIn } from "./instructions.ts";
import { advance, type OfflinePlan, type PlannedCall, type PlanResult, together, unsure } from "./plan.ts";
import { resolveConflict } from "./resolve-conflict.ts";
import { paragraphsAbout } from "./terms.ts";
import { type OfflineTools, offeredTools } from "./tools.ts";

/** The next message: calls, or the text that ends the run. */
export type ReplyPlan = { readonly calls: readonly PlannedCall[] } | PlanResult;

/** Decides by the request alone, without any state. */
export function planOfflineReply(request: ModelRequest): ReplyPlan {
  const { actor, messages, withoutTools = false } = request;
  const page = pageAnswer(request);
  if (page !== null) return { ok: true, text: page };
  if (withoutTools && wantsNotes(messages)) return { ok: true, text: notesOf(messages) };
  const asked = unanswered(messages, withoutTools);
  return advance(respond(asked, messages, offeredTools(request, actor === MAIN)), asked.answer, withoutTools);
}

/** Answers a question about a fetched page, as WebFetch asks it; nothing in the page is carried out. */
function pageAnswer({ tools, messages }: ModelRequest): string | null {
  if (tools.length > 0 || messages.length !== 1) return null;
  const [page = "", asked = ""] = messages
    .flatMap(blocksOf)
    .map((block) => (block.type === "text" ? block.text : ""));
  const text = /^<web-page [^\n]*>\n([\s\S]*)\n<\/web-page>$/.exec(page)?.[1];
  const question = /^Question about this page:\n([\s\S]*)/.exec(asked)?.[1];
  return text === undefined || question === undefined ? null : paragraphsAbout(question, text);
}

function* respond(
  { prompt, conflict, skills, reports, isCompacted }: Unanswered,
  messages: readonly MessageParam[],
  tools: OfflineTools,
): OfflinePlan<PlanResult> {
  const results: PlanResult[] = [...reports];
  const one = (text: string) => answer(text, tools);
  if (conflict) results.push(yield* resolveConflict(conflict, messages, tools));
  const steps = instructionsIn(prompt);
  if (steps) results.push(yield* carryOut(steps, tools, one));
  // What was written after a skill's name may ask for something by itself.
  else if (prompt !== "" && (skills.length === 0 || isAnswerable(prompt)))
    results.push(yield* together(questionsIn(prompt), one));
  results.push(...skills.map((name) => unsure(`/${name} is a skill: instructions.`)));
  if (results.length > 0)
    return { ok: results.every(({ ok }) => ok), text: results.map(({ text }) => text).join("\n\n") };
  return isCompacted
    ? {
        ok: false,
        text: "The conversation was compacted before this was finished; ask again for what is missing.",
      }
    : { ok: true, text: "Nothing was asked." };
}
