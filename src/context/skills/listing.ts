import { fitList } from "../../lib/fit-list.ts";
import { shorten } from "../../lib/text.ts";
import { escapeTags } from "../escape-tags.ts";
import { listedName, type Skill } from "./skill.ts";

/** The share of a model's window that the list of skills may take. */
export const SKILL_BUDGET_CONTEXT_PERCENT = 0.01;
export const CHARS_PER_TOKEN = 4;
/** Characters of the list if the window is not known. */
export const DEFAULT_CHAR_BUDGET = 8000;
/** Characters of one description, before any budget. */
export const MAX_LISTING_DESC_CHARS = 250;

type Listed = Pick<Skill, "name" | "alias" | "description" | "whenToUse" | "origin">;

export function listingBudget(windowTokens: number | null): number {
  return windowTokens === null
    ? DEFAULT_CHAR_BUDGET
    : Math.floor(windowTokens * CHARS_PER_TOKEN * SKILL_BUDGET_CONTEXT_PERCENT);
}

/** Returns the skills that a model may load by itself. */
export function forModel(skills: readonly Skill[]): readonly Skill[] {
  return skills.filter((skill) => skill.forModel);
}

/** Returns one line for each skill, in `budget` characters together (A12.4 to A12.6); Troupe's own give way last. */
export function skillListing(skills: readonly Listed[], budget: number): string {
  const entries = skills.map((skill) => ({
    name: listedName(skill),
    description: listedDescription(skill),
    isKept: skill.origin === "shipped",
  }));
  return fitList(entries, budget, (count) => `- (and ${count} more)`);
}

/** Returns what a skill does and when to use it, in as many characters as one description may have. */
export function listedDescription({ description, whenToUse }: Listed): string {
  const text = whenToUse === null || whenToUse === "" ? description : `${description} - ${whenToUse}`;
  return shorten(escapeTags(text), MAX_LISTING_DESC_CHARS);
}

const HEAD = `Skills
Instructions for certain kinds of tasks. The Skill tool loads them by their exact names:`;

/** Returns the list as a model sees it; null if there are no skills for it. */
export function skillsBlock(skills: readonly Skill[], windowTokens: number | null): string | null {
  const listing = skillListing(forModel(skills), listingBudget(windowTokens));
  return listing === "" ? null : `${HEAD}\n${listing}`;
}

/** The same, built once for each window as long as the skills are the same. */
export function skillsBlocks(): typeof skillsBlock {
  let of: readonly Skill[] | null = null;
  const known = new Map<number | null, string | null>();
  return (skills, windowTokens) => {
    if (skills !== of) known.clear();
    of = skills;
    const block = known.get(windowTokens) ?? skillsBlock(skills, windowTokens);
    known.set(windowTokens, block);
    return block;
  };
}
