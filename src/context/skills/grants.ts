import { hash } from "node:crypto";
import { canonicalJson } from "../../lib/json.ts";
import { formatReplacing, type ReplacedOwner, type Replacing } from "../markdown/choose-by-name.ts";
import { formatHooks, shown } from "../markdown/hook-grant.ts";
import type { Skill } from "./skill.ts";

/** One thing that a skill of the project or of an enabled plug-in may do only if the user has agreed to it. */
export interface SkillGrant {
  /** For the user, such as `use Bash(git push:*) without a question (skill deploy)`. */
  readonly words: string;
  /** The same for the same grant, and different for every other. */
  readonly digest: string;
  /** What it lets the skill do: the group of a grant, or the rule that it lends. */
  readonly group: "runs" | "others" | { readonly rule: string };
  readonly skill: true;
  /** It takes the name of another skill. */
  readonly replaces?: true;
}

/** Returns what these skills ask for. */
export function skillGrants(skills: readonly Skill[]): readonly SkillGrant[] {
  return skills.flatMap((skill) => [
    ...skill.allowedTools.map((rule) => ruleGrant(skill, rule)),
    ...skill.commands.map((command) => commandGrant(skill, command)),
    ...Object.entries(skill.hooks ?? {}).map(([event, hooks]) => hookGrant(skill, event, hooks)),
  ]);
}

/** The hooks of one event. */
export function hookGrant({ name }: Pick<Skill, "name">, event: string, hooks: unknown): SkillGrant {
  const words = `${formatHooks(event, hooks)} while the skill ${name} is in use`;
  return grant(words, ["hook", name, event, canonicalJson(hooks)], "runs");
}

export function ruleGrant({ name }: Pick<Skill, "name">, rule: string): SkillGrant {
  return grant(`use ${shown(rule)} without a question (skill ${name})`, ["rule", name, rule], { rule });
}

/** `command` as it is written, without arguments. */
export function commandGrant({ name }: Pick<Skill, "name">, command: string): SkillGrant {
  return grant(
    `run "${shown(command)}" when the skill ${name} is loaded`,
    ["command", name, command],
    "runs",
  );
}

export function skillGrant({ definition: { name }, of }: Replacing<Skill>): SkillGrant {
  return { ...grant(formatReplacing("skill", name, of), ["replace", name, of], "others"), replaces: true };
}

/**
 * Returns a function that says whose name a skill of the project would take. `reserved`: slash commands of the program
 * itself. Names are compared as typed ones are looked up.
 */
export function skillReplacements(
  skills: readonly Skill[],
  reserved: readonly string[],
): (skill: Pick<Skill, "name" | "origin">) => ReplacedOwner | null {
  const builtIn = new Set(reserved.map((name) => name.toLowerCase()));
  const users = new Set<string>();
  for (const { name, origin } of skills) {
    if (origin === "project") continue;
    const typed = name.toLowerCase();
    const owned = origin === "shipped" ? builtIn : users;
    owned.add(typed);
    // The user may leave out the directory: `/deploy` is `ops:deploy`. A plug-in's prefix may not be left out.
    if (origin !== "plugin") owned.add(typed.slice(typed.lastIndexOf(":") + 1));
  }
  return ({ name, origin }) => {
    if (origin !== "project") return null;
    if (users.has(name.toLowerCase())) return "user";
    return builtIn.has(name.toLowerCase()) ? "built-in" : null;
  };
}

function grant(words: string, what: readonly string[], group: SkillGrant["group"]): SkillGrant {
  return { words, digest: hash("sha256", JSON.stringify(["skill", ...what]), "hex"), group, skill: true };
}
