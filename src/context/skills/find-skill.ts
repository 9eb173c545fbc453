import { editDistance } from "../../lib/edit-distance.ts";
import type { Skill } from "./skill.ts";

const MAX_SUGGESTED = 5;
const MAX_COMPARED_CHARS = 64;

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

/** Returns the names that may have been meant, the nearest first. */
export function nearNames(name: string, skills: readonly Pick<Skill, "name">[]): readonly string[] {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const wanted = plain(name);
  const near = skills.flatMap((skill) => {
    const other = plain(skill.name);
    const distance = editDistance(wanted.slice(0, MAX_COMPARED_CHARS), other.slice(0, MAX_COMPARED_CHARS));
    const isPart = wanted.length > 2 && (other.includes(wanted) || wanted.includes(other));
    return isPart || distance <= Math.max(1, wanted.length / 3) ? [{ name: skill.name, distance }] : [];
  });
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, MAX_SUGGESTED).map((one) => one.name);
}
