import { hash } from "node:crypto";
import type { Skill } from "./skill.ts";

/** One thing that a skill of a folder's may do only where the person has agreed to it. */
export interface SkillGrant {
  /** For a person, such as `use Bash(git push:*) without a question (skill deploy)`. */
  readonly words: string;
  /** The same for the same grant, another for any other. */
  readonly digest: string;
  readonly skill: true;
  /** It takes the name of another skill. */
  readonly replaces?: true;
}

/** A list for a person need not hold a whole script. */
const SHOWN_CHARS = 200;

/** What a folder's own skills ask for; those of others were put where they are by the person. */
export function skillGrants(skills: readonly Skill[]): readonly SkillGrant[] {
  return skills.filter(({ origin }) => origin === "project").flatMap(grantsOf);
}

export function grantsOf(skill: Skill): readonly SkillGrant[] {
  return [
    ...skill.allowedTools.map((rule) => ruleGrant(skill, rule)),
    ...skill.commands.map((command) => commandGrant(skill, command)),
  ];
}

export function ruleGrant({ name }: Pick<Skill, "name">, rule: string): SkillGrant {
  return grant(`use ${shown(rule)} without a question (skill ${name})`, ["rule", name, rule]);
}

/** `command` as it is written, arguments not filled in. */
export function commandGrant({ name }: Pick<Skill, "name">, command: string): SkillGrant {
  return grant(`run "${shown(command)}" when the skill ${name} is loaded`, ["command", name, command]);
}

function grant(words: string, what: readonly string[]): SkillGrant {
  return { words, digest: hash("sha256", JSON.stringify(["skill", ...what]), "hex"), skill: true };
}

function shown(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ");
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS - 1).toWellFormed()}…`;
}
