import { hookGrant } from "../../context/skills/grants.ts";
import type { Skill } from "../../context/skills/skill.ts";
import type { ReadHooks } from "../../policy/hooks/hooks.ts";

type Agreed = (digest: string) => boolean;

/** Returns the hooks of skills, each for actors that use the skill; those of a directory only if the user agreed. */
export function skillHooks(skills: readonly Skill[], agreed: Agreed): readonly ReadHooks[] {
  return skills.flatMap((skill) => {
    const { origin, path, hooks = {} } = skill;
    if (origin === "shipped" || origin === "plugin") return [];
    const refused = refusedHooks(skill, agreed);
    const value = Object.fromEntries(Object.entries(hooks).filter(([event]) => !refused.includes(event)));
    return Object.keys(value).length === 0 ? [] : [{ scope: origin, file: path, value, skill: path }];
  });
}

/** Returns the events of a directory's skill whose hooks the user has not agreed to. */
export function refusedHooks(skill: Skill, agreed: Agreed): readonly string[] {
  if (skill.origin !== "project") return [];
  return Object.entries(skill.hooks ?? {})
    .filter(([event, value]) => !agreed(hookGrant(skill, event, value).digest))
    .map(([event]) => event);
}
