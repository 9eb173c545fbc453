import type { Skill } from "./skill.ts";

/** What a name calls; `several`: it is the alias, or the end of the name, of more than one. */
export type CalledSkill =
  | { readonly type: "skill"; readonly skill: Skill }
  | { readonly type: "several"; readonly skills: readonly Skill[] }
  | { readonly type: "none" };

type Fits = (skill: Skill) => boolean;

/**
 * Finds a skill by its exact name or alias, which may have a slash in front, or its alias behind it as in the list.
 * `isUsable`: who asks may call it.
 */
export function skillNamed(name: string, skills: readonly Skill[], isUsable: Fits): CalledSkill {
  const wanted = name
    .trim()
    .replace(/^\//, "")
    .replace(/ \([^()]*\)$/, "");
  return firstOf(skills, isUsable, [(skill) => skill.name === wanted, ({ alias }) => alias === wanted]);
}

/** Finds a skill as users type it: in any case, and without the directory or plug-in if only one skill fits. */
export function skillTyped(name: string, skills: readonly Skill[]): CalledSkill {
  const wanted = name.trim().replace(/^\//, "").toLowerCase();
  const exact = skillNamed(name, skills, ({ forUser }) => forUser);
  if (exact.type !== "none") return exact;
  return firstOf(skills, ({ forUser }) => forUser, [
    (skill) => skill.name.toLowerCase() === wanted,
    ({ alias }) => alias?.toLowerCase() === wanted,
    (skill) => skill.name.toLowerCase().endsWith(`:${wanted}`),
    ({ alias }) => alias?.toLowerCase().endsWith(`:${wanted}`) ?? false,
  ]);
}

/** Says which skills a name may mean. `slash`: as a user types them. */
export function formatSeveral(name: string, skills: readonly Skill[], slash: "/" | ""): string {
  const names = skills.map((skill) => `${slash}${skill.name} (${skill.path})`);
  return `${JSON.stringify(name)} may mean ${skills.length} skills; call one by its name: ${names.join(", ")}.`;
}

/** Returns what the first of these conditions fits; those that may not be called only if no other does. */
function firstOf(skills: readonly Skill[], isUsable: Fits, conditions: readonly Fits[]): CalledSkill {
  for (const fits of conditions) {
    const found = skills.filter(fits);
    const usable = found.filter(isUsable);
    const [skill, ...others] = usable.length > 0 ? usable : found;
    if (skill !== undefined)
      return others.length === 0
        ? { type: "skill", skill }
        : { type: "several", skills: usable.length > 0 ? usable : found };
  }
  return { type: "none" };
}
