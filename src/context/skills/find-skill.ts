import { editDistance } from "../../mailbox/edit-distance.ts";
import type { Skill } from "./skill.ts";

const SUGGESTED = 5;

/** By its exact name, which a person may write with a slash. */
export function skillNamed(name: string, skills: readonly Skill[]): Skill | undefined {
  const wanted = name.trim().replace(/^\//, "");
  return skills.find((skill) => skill.name === wanted);
}

/** As a person types it: also whatever its case, and without the folder or plug-in where nothing else is called so. */
export function skillTyped(name: string, skills: readonly Skill[]): Skill | undefined {
  const exact = skillNamed(name, skills);
  if (exact !== undefined) return exact;
  const wanted = name.trim().replace(/^\//, "").toLowerCase();
  const alike = skills.filter((skill) => skill.name.toLowerCase() === wanted);
  if (alike.length === 1) return alike[0];
  const last = skills.filter((skill) => skill.name.toLowerCase().endsWith(`:${wanted}`));
  return last.length === 1 ? last[0] : undefined;
}

/** The names that may have been meant, the nearest first. */
export function nearNames(name: string, skills: readonly Pick<Skill, "name">[]): readonly string[] {
  const wanted = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const near = skills.flatMap((skill) => {
    const plain = skill.name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
    const distance = editDistance(wanted.slice(0, MOST_COMPARED), plain.slice(0, MOST_COMPARED));
    const holds = wanted.length > 2 && (plain.includes(wanted) || wanted.includes(plain));
    return holds || distance <= Math.max(1, wanted.length / 3) ? [{ name: skill.name, distance }] : [];
  });
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, SUGGESTED).map((one) => one.name);
}

const MOST_COMPARED = 64;
