import { dirname } from "node:path";
import { escapeTags } from "../escape-tags.ts";
import type { Skill } from "./skill.ts";

/** A skill as it stands in a conversation. `typed`: the person called it. */
export function loadedText(skill: Skill, args: string, body: string, typed: boolean): string {
  return [
    `<command-name>${typed ? "/" : ""}${skill.name}</command-name>`,
    ...(args === "" ? [] : [`<command-args>${escapeTags(args)}</command-args>`]),
    ...(skill.kind === "command" ? [] : [`Base folder of this skill: ${dirname(skill.path)}`]),
    "",
    escapeTags(body),
  ].join("\n");
}

/** Whether this skill was loaded by one of these texts. */
export function isLoadedBy(texts: readonly string[], name: string): boolean {
  const tags = [`<command-name>${name}</command-name>`, `<command-name>/${name}</command-name>`];
  // A line of its own, as the runtime writes it; whoever quotes one in a sentence has loaded nothing.
  return texts.some(
    (text) => text.includes("<command-name>") && text.split("\n").some((line) => tags.includes(line)),
  );
}
