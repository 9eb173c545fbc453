import type { AgentDefinition } from "../../context/agents/definition.ts";
import type { Files } from "../../context/files.ts";
import { CHARS_PER_TOKEN } from "../../context/skills/listing.ts";
import { loadedText, renderPlain, variablesOf } from "../../context/skills/render.ts";
import { formatSeveral, type Skill, skillTyped } from "../../context/skills/skill.ts";
import { nearNames } from "../../lib/near-name.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { Actor } from "../../supervisor/actor-record.ts";

/** The share of a window for preloaded skills, and the most in any window. */
const SHARE = 0.1;
const MOST_CHARS = 100_000;

type Kind = Pick<AgentDefinition, "name" | "skills">;

export interface PreloadParts {
  readonly skills: () => readonly Skill[];
  readonly files: Files;
  readonly cwd: string;
  readonly session: string;
  /** True if a call that loads it would pass without a question or a hook. */
  readonly passes: (skill: Skill) => boolean;
  readonly warn: (sentence: string) => void;
}

/** The space for an agent's preloaded skills. */
export interface Room {
  /** Tokens of its window. */
  readonly window: number;
  /** True if it has the tool that loads skills. */
  readonly canLoad: boolean;
}

export interface Preloaded {
  /** For its role. */
  readonly text: string;
  /** Names of the skills whose whole text is included. */
  readonly loaded: readonly string[];
}

/**
 * Returns the whole text of the skills that an agent's definition names, for its system prompt, where it survives
 * compaction. A skill that needs a call (commands, a question, a hook) or too much room is only named, for the agent
 * to load. Returns null if no skill is named.
 */
export function preloadedWords(
  { name: kind, skills: names = [] }: Kind,
  { window, canLoad }: Room,
  { skills, files, cwd, session, passes, warn }: PreloadParts,
): Preloaded | null {
  if (names.length === 0) return null;
  const all = skills();
  const given: string[] = [];
  const loaded: string[] = [];
  const toLoad: string[] = [];
  let left = Math.min(MOST_CHARS, Math.floor(window * SHARE * CHARS_PER_TOKEN));
  for (const name of names) {
    const called = skillTyped(name, all);
    if (called.type !== "skill") {
      const several = called.type === "several" ? formatSeveral(name, called.skills, "") : null;
      warn(several === null ? missing(kind, name, all) : `Agents of type ${kind}: ${several}`);
      continue;
    }
    const { skill } = called;
    if (!skill.forModel) {
      warn(
        `Agents of type ${kind} do not get the skill ${skill.name}, which only you may load (disable-model-invocation).`,
      );
      continue;
    }
    const plain = passes(skill)
      ? renderPlain(skill, { files, variables: variablesOf(skill, { cwd, session }) })
      : null;
    if (plain?.type === "unusable") {
      warn(`Agents of type ${kind} do not get the skill ${skill.name}: ${plain.reason}`);
      continue;
    }
    const text = plain === null ? null : loadedText(skill, "", plain.text, false);
    if (text !== null && text.length <= left) {
      left -= text.length;
      given.push(text);
      loaded.push(skill.name);
    } else if (canLoad) toLoad.push(skill.name);
    else
      warn(
        `Agents of type ${kind} do not get the skill ${skill.name}: they would have to load it, and have no tool for that.`,
      );
  }
  const parts = [
    ...(given.length === 0 ? [] : [GIVEN, ...given]),
    ...(toLoad.length === 0 ? [] : [loadWords(toLoad)]),
  ];
  return parts.length === 0 ? null : { text: parts.join("\n\n"), loaded };
}

const GIVEN =
  "You have loaded these skills already. Work by them where they fit your task, and do not load them again.";

function loadWords(names: readonly string[]): string {
  return `Before you begin, load these skills with the Skill tool, all in one reply: ${names.join(", ")}.`;
}

function missing(kind: string, name: string, all: readonly Skill[]): string {
  const near = nearNames(
    name,
    all.map((one) => one.name),
  );
  const hint = near.length === 0 ? "" : ` Near it are: ${near.join(", ")}.`;
  return `There is no skill ${JSON.stringify(name)}, which agents of type ${kind} are to begin with.${hint}`;
}

/** Returns the texts an actor got since its user or caller last sent input, as far as they are still in its context. */
export function currentTurnTexts({ spec, turns, inbox }: Actor): readonly string[] {
  const through = spec.compacted?.through ?? 0;
  const kept = turns.filter(({ turn }) => turn > through).flatMap(({ heard }) => heard);
  const heard = [...kept, ...inbox.inFlight, ...inbox.loaded];
  const words = heard.findLastIndex(({ notice }) => !notice);
  const texts = heard.slice(Math.max(0, words)).map(({ text }) => text);
  return words >= 0 ? texts : [...openingTexts(spec), ...texts];
}

function openingTexts({ messages }: Actor["spec"]): string[] {
  const said = messages.findLast(({ role }) => role === "user");
  return said ? blocksOf(said).flatMap((block) => (block.type === "text" ? [block.text] : [])) : [];
}
