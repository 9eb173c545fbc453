import type { SkillPlace } from "./places.ts";
import { type Replacing, replacedBy } from "./replacing.ts";
import type { Skill } from "./skill.ts";

export interface PlacedSkill {
  readonly skill: Skill;
  readonly place: SkillPlace;
}

export interface ChosenSkills {
  readonly skills: readonly Skill[];
  /** The project's that take a name of another one; among `skills` only if the directory is trusted. */
  readonly replacing: readonly Replacing[];
  /** Sentences about names that one place gives twice. */
  readonly twice: readonly string[];
}

/** Keeps the first of each name; an untrusted project takes no name of anyone else's (semantics §1). */
export function chooseByName(
  given: readonly PlacedSkill[],
  {
    trusted,
    reserved = [],
  }: { readonly trusted: boolean; readonly reserved?: readonly string[] | undefined },
): ChosenSkills {
  const skills = given.map(({ skill }) => skill);
  const replacedOf = replacedBy(skills, reserved);
  const byName = new Map<string, PlacedSkill>();
  const replacing: Replacing[] = [];
  const twice: string[] = [];
  for (const one of given) {
    const { skill, place } = one;
    const other = byName.get(skill.name);
    if (other === undefined) {
      const of = replacedOf(skill);
      if (of !== null) replacing.push({ skill, name: skill.name, of });
      if (of === null || trusted) byName.set(skill.name, one);
    }
    // A user who writes one of the same name elsewhere means to replace it.
    else if (other.place === place)
      twice.push(`${skill.path} is called ${skill.name} like ${other.skill.path}, which counts.`);
  }
  return { skills: [...byName.values()].map(({ skill }) => skill), replacing, twice };
}
