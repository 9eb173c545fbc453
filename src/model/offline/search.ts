import { answerText } from "./answer.ts";
import { delegateQuestions } from "./delegate.ts";
import { explore } from "./explore.ts";
import type { Desk } from "./offered-tools.ts";
import { type Plan, together } from "./plan.ts";
import { askingPart, MOST_QUESTIONS } from "./questions.ts";
import { type Done, done, missing } from "./step.ts";

/** More than this many searches of its own side by side would be one very long reply. */
const MOST_OWN = 8;

/** Answers questions: the main conversation through agents, everybody else by searching. */
export function* search(questions: readonly string[], desk: Desk, lead: boolean): Plan<Done> {
  const agents = lead ? desk.offered("Agent") : undefined;
  const most = agents === undefined ? MOST_OWN : MOST_QUESTIONS;
  const asked = questions.slice(0, most);
  const left = questions.length - asked.length;
  const { ok, text } =
    agents === undefined ? yield* searchAll(asked, desk) : yield* delegateQuestions(asked, agents);
  return left === 0
    ? { ok, text }
    : { ok, text: `${text}\n\n${left} more questions were left out: at most ${most} are taken at once.` };
}

function* searchAll(questions: readonly string[], desk: Desk): Plan<Done> {
  if (desk.offered("Grep") === undefined && desk.offered("Glob") === undefined) return missing("Grep");
  const findings = yield* together(questions.map((question) => explore(askingPart(question), desk)));
  const texts = findings.map(answerText);
  if (texts.length === 1) return done(texts.join(""));
  return done(texts.map((text, at) => `## ${questions[at] ?? ""}\n\n${text}`).join("\n\n"));
}
