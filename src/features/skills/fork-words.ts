import type { Skill } from "../../context/skills/skill.ts";

/** What the main conversation is told where the person calls a skill that an agent of its own carries out. */
export function forkWords({ name }: Pick<Skill, "name">, args: string): string {
  const withArgs = args === "" ? "" : ` and args ${JSON.stringify(args)}`;
  return `The person called /${name}${args === "" ? "" : ` ${args}`}. Call the Skill tool with skill ${JSON.stringify(name)}${withArgs}: an agent of its own carries it out. Then tell the person what it reports.`;
}
