import { dirname } from "node:path";
import { escapeTags } from "../escape-tags.ts";
import type { Skill } from "./skill.ts";

/** Returns a skill as it is in a conversation. `typed`: the user called it. */
export function loadedText(skill: Skill, args: string, body: string, typed: boolean): string {
  return [
    `<command-name>${typed ? "/" : ""}${skill.name}</command-name>`,
    ...(args === "" ? [] : [`<command-args>${escapeTags(args)}</command-args>`]),
    ...(skill.kind === "command" ? [] : [`Base directory of this skill: ${dirname(skill.path)}`]),
    "",
    escapeTags(body),
  ].join("\n");
}

/** True if one of these texts has loaded the skill: the tag is a line of its own there, as the runtime writes it. */
export function isLoadedBy(texts: readonly string[], name: string): boolean {
  const tags = [`<command-name>${name}</command-name>`, `<command-name>/${name}</command-name>`];
  return texts.some(
    (text) => text.includes("<command-name>") && text.split("\n").some((line) => tags.includes(line)),
  );
}
