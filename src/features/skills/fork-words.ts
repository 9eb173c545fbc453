import type { Skill } from "../../context/skills/skill.ts";

/** Formats the text for the main conversation when the user calls a skill that runs in its own agent. */
export function forkWords({ name }: Pick<Skill, "name">, args: string): string {
  const withArgs = args === "" ? "" : ` and args ${JSON.stringify(args)}`;
  return `The user called /${name}${args === "" ? "" : ` ${args}`}. Call the Skill tool with skill ${JSON.stringify(name)}${withArgs}: an agent of its own carries it out. Then tell the user what it reports.`;
}
