import { instructionsIn } from "./instructions.ts";
import { isAsked } from "./questions.ts";

/**
 * A skill or command that stands in a prompt, as the runtime writes it (`context/skills/loaded-words.ts`), or a prompt of
 * a server (`features/servers/prompt-words.ts`).
 */
export interface CalledSkill {
  readonly name: string;
  readonly args: string;
  readonly body: string;
}

/** What a text asks for, and the skill that cannot be worked by, where it holds one. */
export interface Called {
  readonly prompt: string;
  readonly skill: CalledSkill | undefined;
}

const LOADED =
  /^<command-name>\/?([^<\n]+)<\/command-name>(?:\n<command-args>([\s\S]*?)<\/command-args>)?(?:\n<command-message>.*<\/command-message>)?(?:\nBase folder of this skill: .*)?\n*/m;
/** As the main conversation is told of a skill that an agent of its own is to carry out. */
const TO_CARRY_OUT = /^The person called \/(\S+?)(?: ([\s\S]*?))?\. Call the Skill tool with skill "/;
/** A command of a few lines is a prompt that somebody has written down; what is longer tells how to work. */
const MOST_LINES = 6;
const MOST_CHARACTERS = 800;

/** Instructions for a kind of task are no questions: what of them is one is what stands behind the name. */
export function calledIn(text: string): Called {
  const found = skillIn(text);
  if (found === undefined) return { prompt: text, skill: undefined };
  const { before, skill } = found;
  const { args, body } = skill;
  const joined = (asked: string) => [before, asked].filter((part) => part !== "").join("\n");
  const isPrompt = body.length <= MOST_CHARACTERS && body.split("\n").length <= MOST_LINES;
  if (isPrompt && body !== "") return { prompt: joined(body), skill: undefined };
  return { prompt: joined(isAsked(args) || instructionsIn(args) !== undefined ? args : ""), skill };
}

function skillIn(text: string): { readonly before: string; readonly skill: CalledSkill } | undefined {
  const [, carried, givenTo = ""] = TO_CARRY_OUT.exec(text) ?? [];
  if (carried !== undefined) return { before: "", skill: { name: carried, args: givenTo, body: "" } };
  const match = LOADED.exec(text);
  if (match === null) return undefined;
  const [whole, name = "", args = ""] = match;
  const body = text.slice(match.index + whole.length).trim();
  return { before: text.slice(0, match.index).trim(), skill: { name, args: args.trim(), body } };
}

/** For the person; `searched`: what stood behind the name was asked all the same. */
export function skillsNote(skills: readonly CalledSkill[], searched: boolean): string {
  const names = skills.map(({ name }) => `/${name}`).join(" and ");
  const what = skills.length === 1 ? "is a skill: instructions" : "are skills: instructions";
  const instead = searched ? " What you wrote behind it was searched for instead." : "";
  return `${names} ${what} for a model that can work by them, which the offline model cannot.${instead} Set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own, to use a real model.`;
}
