import { MAIN } from "../../mailbox/ids.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { ModelRequest } from "../client.ts";
import { answer, isAnswerable, NEEDS_MODEL, questionsIn } from "./answer.ts";
import { carryOut } from "./carry-out.ts";
import { notesOf, type Unanswered, unanswered, wantsNotes } from "./conversation.ts";
import { sections } from "./delegate.ts";
import { instructionsIn } from "./instructions.ts";
import { advance, type OfflinePlan, type PlannedCall, type PlanResult, together } from "./plan.ts";
import { resolveConflict } from "./resolve-conflict.ts";
import { paragraphsAbout } from "./search.ts";
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
  const plan = respond(asked, request, offeredTools(request, actor === MAIN));
  const progress = advance(plan, asked.answer, withoutTools);
  return "calls" in progress ? progress : progress.value;
}

/** Answers a question about a fetched page, as WebFetch asks it; nothing in the page is carried out. */
function pageAnswer({ tools, messages }: ModelRequest): string | null {
  if (tools.length > 0 || messages.length !== 1) return null;
  const [page = "", question = ""] = messages
    .flatMap(blocksOf)
    .map((block) => (block.type === "text" ? block.text : ""));
  const text = /^<web-page [^\n]*>\n([\s\S]*)\n<\/web-page>$/.exec(page)?.[1];
  const about = /^Question about this page:\n/;
  return text !== undefined && about.test(question)
    ? paragraphsAbout(question.replace(about, ""), text)
    : null;
}

function* respond(
  asked: Unanswered,
  { messages }: ModelRequest,
  tools: OfflineTools,
): OfflinePlan<PlanResult> {
  const { prompt, conflict, skills, reports } = asked;
  const results: PlanResult[] = [];
  if (conflict) results.push(yield* resolveConflict(conflict, messages, tools));
  const steps = instructionsIn(prompt);
  // What was written after a skill's name may ask for something by itself.
  if (prompt !== "" && (skills.length === 0 || steps || isAnswerable(prompt))) {
    const questions = questionsIn(prompt);
    const answers = () => together(questions.map((question) => answer(question, tools)));
    results.push(
      steps
        ? yield* carryOut(steps, tools, (text) => answer(text, tools))
        : sections(questions, yield* answers()),
    );
  }
  for (const name of skills)
    results.push({ ok: false, text: `/${name} is a skill: instructions. ${NEEDS_MODEL}` });
  if (asked.isCompacted && results.length + reports.length === 0)
    results.push({
      ok: false,
      text: "The conversation was compacted before this was finished; ask again for what is missing.",
    });
  const texts = [...reports, ...results.map(({ text }) => text)];
  return { ok: results.every(({ ok }) => ok), text: texts.join("\n\n") || "Nothing was asked." };
}
