import { hash } from "node:crypto";
import { formatReplacing, type ReplacedName, type ReplacedOwner } from "../replacing.ts";
import type { SkillGrant } from "./grants.ts";
import type { Skill } from "./skill.ts";

/** A skill of the project that takes a name of another one. */
export interface Replacing extends ReplacedName {
  readonly skill: Skill;
}

/** Returns whose name a skill of the project would take, or null if its name is its own. */
export type FindReplaced = (skill: Pick<Skill, "name" | "origin">) => ReplacedOwner | null;

/** `reserved`: the slash commands that the program itself has. Names are compared as typed ones are looked up. */
export function replacedBy(skills: readonly Skill[], reserved: readonly string[]): FindReplaced {
  const builtIn = new Set(reserved.map((name) => name.toLowerCase()));
  const users = new Set<string>();
  for (const { name, origin } of skills) {
    if (origin === "project") continue;
    // The short form of a plug-in's name is anyone's.
    const names = origin === "plugin" ? [name.toLowerCase()] : typedNames(name);
    for (const typed of names) (origin === "shipped" ? builtIn : users).add(typed);
  }
  return ({ name, origin }) => {
    if (origin !== "project") return null;
    if (users.has(name.toLowerCase())) return "user";
    return builtIn.has(name.toLowerCase()) ? "built-in" : null;
  };
}

/** The user may leave out the directory: `/deploy` is `ops:deploy`. */
function typedNames(name: string): readonly string[] {
  const typed = name.toLowerCase();
  return [typed, typed.slice(typed.lastIndexOf(":") + 1)];
}

export function replacingGrant({ name, of }: ReplacedName): SkillGrant {
  const digest = hash("sha256", JSON.stringify(["skill", "replace", name, of]), "hex");
  return { words: formatReplacing("skill", { name, of }), digest, skill: true, replaces: true };
}
