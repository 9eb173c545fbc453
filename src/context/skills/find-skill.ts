import type { Skill } from "./skill.ts";

/** Finds a skill by its exact name or alias, which may have a slash in front. */
export function skillNamed(name: string, skills: readonly Skill[]): Skill | undefined {
  const wanted = name.trim().replace(/^\//, "");
  return skills.find((skill) => skill.name === wanted) ?? skills.find(({ alias }) => alias === wanted);
}

/** Finds a skill as users type it: in any case, and without the directory or plug-in if only one skill fits. */
export function skillTyped(name: string, skills: readonly Skill[]): Skill | undefined {
  const wanted = name.trim().replace(/^\//, "").toLowerCase();
  const only = (fits: (name: string) => boolean) => {
    const found = skills.filter((skill) => fits(skill.name.toLowerCase()));
    return found.length === 1 ? found[0] : undefined;
  };
  return (
    skillNamed(name, skills) ?? only((one) => one === wanted) ?? only((one) => one.endsWith(`:${wanted}`))
  );
}
