import { MAIN } from "../../mailbox/ids.ts";
import type { ModelRequest } from "../client.ts";
import { skillsNote } from "./called-skill.ts";
import { carryOut } from "./carry-out.ts";
import { currentEpisode, type Episode } from "./episode.ts";
import { instructionsIn } from "./instructions.ts";
import { reportNotification } from "./notifications.ts";
import { type Desk, offeredTools } from "./offered-tools.ts";
import { answerFromPage, pageQuestionIn } from "./page-answer.ts";
import { advance, type Plan, type Wish } from "./plan.ts";
import { questionsIn } from "./questions.ts";
import { search } from "./search.ts";
import { settle } from "./settle.ts";

/** The next message: calls, or the text that ends the answer. */
export type Decision =
  | { readonly type: "calls"; readonly wishes: readonly Wish[] }
  | { readonly type: "text"; readonly text: string };

/** A pure function of the request. The main conversation puts agents to work; an agent works itself. */
export function decide(request: ModelRequest): Decision {
  const asked = pageQuestionIn(request);
  if (asked !== null) return { type: "text", text: answerFromPage(asked) };
  const episode = currentEpisode(request.messages, request.withoutTools === true);
  const lead = request.actor === MAIN;
  const plan = planFor(episode, offeredTools(request), lead);
  const progress = advance(plan, episode.answer, request.withoutTools === true);
  if (progress.type === "calls") return { type: "calls", wishes: progress.wishes };
  const notes = episode.notifications.map(reportNotification);
  const told = [...notes, progress.value].filter((text) => text !== "").join("\n\n");
  return { type: "text", text: lead ? `${told}\n\n${SIGNED}` : told };
}

const SIGNED = "(Written by Troupe's embedded offline model: it searches and quotes, it does not reason.)";

function* planFor(episode: Episode, desk: Desk, lead: boolean): Plan<string> {
  const { prompt, handedBack } = episode;
  if (handedBack === undefined) return yield* planForPrompt(episode, desk, lead);
  // Where something else was said as well it comes after: it may be about the files as they are then.
  const settled = yield* settle(handedBack, desk);
  return prompt === "" ? settled : `${settled}\n\n${yield* planForPrompt(episode, desk, lead)}`;
}

function* planForPrompt(episode: Episode, desk: Desk, lead: boolean): Plan<string> {
  const { prompt, skills } = episode;
  if (skills.length === 0) return yield* planForWords(episode, desk, lead);
  const note = skillsNote(skills, prompt !== "");
  return prompt === "" ? note : `${yield* planForWords(episode, desk, lead)}\n\n${note}`;
}

function* planForWords({ prompt, notifications }: Episode, desk: Desk, lead: boolean): Plan<string> {
  if (prompt === "" && notifications.length > 0) return "";
  const steps = instructionsIn(prompt);
  if (steps !== undefined) return yield* carryOut(steps, desk, lead);
  const questions = questionsIn(prompt);
  if (questions.length === 0) return CAN_DO;
  const { text } = yield* search(questions, desk, lead);
  // An agent that searched for it has said so already.
  const isSaid = !WORK.test(prompt) || text.includes(ONLY_SEARCHED);
  return isSaid ? text : `${text}\n\n${ONLY_SEARCHED}`;
}

/** A prompt that wants something done, not found. */
const WORK =
  /^\s*(?:please\s+)?(?:fix|implement|refactor|write|review|audit|add|remove|rename|update|improve|optimi[sz]e|plan|design|build|delete|change|make|move|debug|migrate|port|document|deploy|generate|convert)\b|^\s*请?(?:修复|实现|重构|审查|编写|修改|添加|删除|优化|设计)/iu;

const ONLY_SEARCHED = "This was taken as a search: the offline model cannot do the work itself.";

const CAN_DO =
  "The offline model answers questions by searching the code (in English or Chinese, several at once) and follows instructions of these forms: " +
  'in FILE replace "A" with "B"; append "X" to FILE; create FILE with "X"; run "CMD"; in background: TASK; in parallel: TASK; TASK. ' +
  "For everything else set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own, to use a real model.";
