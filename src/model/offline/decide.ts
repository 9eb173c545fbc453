import { MAIN } from "../../mailbox/ids.ts";
import type { ModelRequest } from "../client.ts";
import { answer, isAnswerable, questionsIn } from "./answer.ts";
import { carryOut } from "./carry-out.ts";
import { type Messages, textsOf, type Unanswered, unanswered, wantedNotes } from "./conversation.ts";
import { instructionsIn } from "./instructions.ts";
import { advance, joinResults, type OfflinePlan, type PlanResult, together, unsure } from "./plan.ts";
import { resolveConflict } from "./resolve-conflict.ts";
import { paragraphsAbout } from "./terms.ts";
import { type OfflineTools, offeredTools } from "./tools.ts";

/** Decides by the request alone, without any state. */
export function planOfflineReply(request: ModelRequest) {
  const { actor, messages, withoutTools = false } = request;
  const text = pageAnswer(request) ?? (withoutTools ? wantedNotes(messages) : null);
  if (text !== null) return { ok: true, text };
  const asked = unanswered(messages, withoutTools);
  return advance(respond(asked, messages, offeredTools(request, actor === MAIN)), asked.answer, withoutTools);
}

/** Answers a question about a fetched page, as WebFetch asks it; nothing in the page is carried out. */
function pageAnswer({ tools, messages }: ModelRequest): string | null {
  if (tools.length > 0 || messages.length !== 1) return null;
  const [page = "", asked = ""] = textsOf(messages);
  const text = /^<web-page [^\n]*>\n([\s\S]*)\n<\/web-page>$/.exec(page)?.[1];
  const question = /^Question about this page:\n([\s\S]*)/.exec(asked)?.[1];
  return text === undefined || question === undefined ? null : paragraphsAbout(question, text);
}

function* respond(asked: Unanswered, messages: Messages, tools: OfflineTools): OfflinePlan {
  const { prompt, conflict, skills, reports, isCompacted } = asked;
  const results: PlanResult[] = [...reports];
  const one = (text: string) => answer(text, tools);
  if (conflict) results.push(yield* resolveConflict(conflict, messages, tools));
  const steps = instructionsIn(prompt);
  if (steps) results.push(yield* carryOut(steps, tools, one));
  // What was written after a skill's name may ask for something by itself.
  else if (prompt !== "" && (skills.length === 0 || isAnswerable(prompt)))
    results.push(yield* together(questionsIn(prompt), one));
  results.push(...skills.map((name) => unsure(`/${name} is a skill: instructions.`)));
  if (results.length > 0) return joinResults(results, "\n\n");
  const lost = "The conversation was compacted before this was finished; ask again for what is missing.";
  return { ok: !isCompacted, text: isCompacted ? lost : "Nothing was asked." };
}
