import { escapeTags } from "../escape-tags.ts";
import type { Skill } from "./skill.ts";

/** The share of a model's window that the list of skills may take. */
export const SKILL_BUDGET_CONTEXT_PERCENT = 0.01;
export const CHARS_PER_TOKEN = 4;
/** Characters of the list where the window is not known. */
export const DEFAULT_CHAR_BUDGET = 8000;
/** Characters of one description, before any budget. */
export const MAX_LISTING_DESC_CHARS = 250;
/** A description that is cut shorter than this says nothing: then the name stands alone. */
export const MIN_DESC_LENGTH = 20;

type Listed = Pick<Skill, "name" | "description" | "whenToUse" | "origin">;

export function listingBudget(windowTokens: number | null): number {
  return windowTokens === null
    ? DEFAULT_CHAR_BUDGET
    : Math.floor(windowTokens * CHARS_PER_TOKEN * SKILL_BUDGET_CONTEXT_PERCENT);
}

/** The model is told to load a skill by itself only where it may. */
export function forModel(skills: readonly Skill[]): readonly Skill[] {
  return skills.filter((skill) => skill.forModel);
}

/**
 * One line for each skill, in `budget` characters together: whole descriptions; else shorter ones; else names alone
 * (A12.4 to A12.6). Those that Troupe brings stay whole as long as they fit; names that do not fit are counted.
 */
export function skillListing(skills: readonly Listed[], budget: number): string {
  const whole = skills.map((skill) => lineOf(skill, descriptionOf(skill)));
  if (lengthOf(whole) <= budget) return whole.join("\n");
  const own = (skill: Listed) => skill.origin === "shipped";
  const others = skills.filter((skill) => !own(skill));
  const kept = lengthOf(skills.map((skill, at) => (own(skill) ? (whole[at] ?? "") : lineOf(skill, ""))));
  if (others.length === 0 || kept > budget) return namesAlone(skills, whole, budget);
  // Each description that stands takes ": " besides.
  const each = Math.floor((budget - kept) / others.length) - 2;
  if (each < MIN_DESC_LENGTH) return namesAlone(skills, whole, budget);
  const lines = skills.map((skill, at) =>
    own(skill) ? (whole[at] ?? "") : lineOf(skill, shortened(descriptionOf(skill), each)),
  );
  return lines.join("\n");
}

/** At the third level; where not even that fits, Troupe's own lose their descriptions, and then the last names go. */
function namesAlone(skills: readonly Listed[], whole: readonly string[], budget: number): string {
  const named = skills.map((skill, at) =>
    skill.origin === "shipped" ? (whole[at] ?? "") : lineOf(skill, ""),
  );
  if (lengthOf(named) <= budget) return named.join("\n");
  const kept = skills.flatMap((skill, at) => (skill.origin === "shipped" ? [whole[at] ?? ""] : []));
  const others = skills.flatMap((skill) => (skill.origin === "shipped" ? [] : [lineOf(skill, "")]));
  const room = budget - lengthOf(kept) - 1;
  const roomy = room >= lengthOf([left(others.length)]);
  if (kept.length > 0 && roomy) return [...cut(others, room), ...kept].join("\n");
  return cut(
    skills.map((skill) => lineOf(skill, "")),
    budget,
  ).join("\n");
}

/** The first lines that fit, and how many there are besides. */
function cut(lines: readonly string[], budget: number): readonly string[] {
  if (lengthOf(lines) <= budget) return lines;
  const kept: string[] = [];
  let used = lengthOf([left(lines.length)]);
  for (const line of lines) {
    used += line.length + 1;
    if (used > budget) break;
    kept.push(line);
  }
  const end = left(lines.length - kept.length);
  return end.length <= budget ? [...kept, end] : [];
}

function left(count: number): string {
  return `- (and ${count} more)`;
}

function lineOf({ name }: Listed, description: string): string {
  return description === "" ? `- ${name}` : `- ${name}: ${description}`;
}

/** What it does and when to use it, in so many characters as one description may have. */
export function descriptionOf({ description, whenToUse }: Listed): string {
  const said = whenToUse === null || whenToUse === "" ? description : `${description} - ${whenToUse}`;
  return shortened(escapeTags(said), MAX_LISTING_DESC_CHARS);
}

function shortened(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0) - (lines.length > 0 ? 1 : 0);
}

const HEAD = `Skills
Instructions for tasks of a kind, which the Skill tool loads by their exact names:`;

/** The list as it is told; null where there is nothing to tell. */
export function skillsBlock(skills: readonly Skill[], windowTokens: number | null): string | null {
  const listing = skillListing(forModel(skills), listingBudget(windowTokens));
  return listing === "" ? null : `${HEAD}\n${listing}`;
}

/** The same, put together once for each window as long as the skills are the same. */
export function skillsBlocks(): typeof skillsBlock {
  let of: readonly Skill[] | null = null;
  const known = new Map<number | null, string | null>();
  return (skills, windowTokens) => {
    if (skills !== of) known.clear();
    of = skills;
    const block = known.get(windowTokens);
    if (block !== undefined) return block;
    const fresh = skillsBlock(skills, windowTokens);
    known.set(windowTokens, fresh);
    return fresh;
  };
}
