import { formatSeveral, type Skill, skillTyped } from "../../context/skills/skill.ts";
import { nearNames } from "../../lib/near-name.ts";

/** The result of parsing a line that a user typed. */
export type SlashLine =
  | { readonly type: "text" }
  | { readonly type: "skill"; readonly skill: Skill; readonly args: string }
  /** `reason` is a sentence: there is no such skill. */
  | { readonly type: "unknown"; readonly reason: string }
  /** Users may not call the skill, or it is not clear which one is meant. */
  | { readonly type: "refused"; readonly reason: string };

/** Skills that are listed if none is near. */
const MOST_LISTED = 5;

/** A line that starts with a slash, unless its first word is a path. */
const SLASH = /^\/([\p{L}\p{N}_][^\s/]*)(?:\s+([\s\S]*))?$/u;

/** Parses a line that may call one of these skills. */
export function slashLine(line: string, all: readonly Skill[]): SlashLine {
  const [, name, args = ""] = SLASH.exec(line.trim()) ?? [];
  if (name === undefined) return { type: "text" };
  const called = skillTyped(name, all);
  if (called.type === "several")
    return { type: "refused", reason: formatSeveral(`/${name}`, called.skills, "/") };
  if (called.type === "none")
    return {
      type: "unknown",
      reason: unknownSkill(
        `/${name}`,
        all.filter(({ forUser }) => forUser),
      ),
    };
  const { skill } = called;
  if (!skill.forUser)
    return {
      type: "refused",
      reason: `The skill ${skill.name} is for the model alone (user-invocable: false).`,
    };
  return { type: "skill", skill, args: args.trim() };
}

export function unknownSkill(name: string, skills: readonly Skill[]): string {
  const near = nearNames(
    name,
    skills.map((one) => one.name),
  );
  const slash = name.startsWith("/") ? "/" : "";
  const kind = slash === "" ? "skill" : "command or skill";
  const listed = near.length > 0 || slash === "" ? near : skills.slice(0, MOST_LISTED).map((one) => one.name);
  const words = near.length > 0 ? "Near it are" : "Some of the skills are";
  const hint = listed.length === 0 ? "" : ` ${words}: ${listed.map((one) => `${slash}${one}`).join(", ")}.`;
  return `There is no ${kind} ${JSON.stringify(name)}.${hint}`;
}

/** Formats the text for the main conversation when the user calls a skill that runs in its own agent. */
export function forkWords({ name }: Pick<Skill, "name">, args: string): string {
  const withArgs = args === "" ? "" : ` and args ${JSON.stringify(args)}`;
  return `The user called /${name}${args === "" ? "" : ` ${args}`}. Call the Skill tool with skill ${JSON.stringify(name)}${withArgs}: an agent of its own carries it out. Then tell the user what it reports.`;
}
