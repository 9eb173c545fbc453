import { dirname } from "node:path";
import { harmless } from "../harmless.ts";
import type { Skill } from "./skill.ts";

/** A skill as it stands in a conversation. `typed`: the person called it. */
export function loadedText(skill: Skill, args: string, body: string, typed: boolean): string {
  return [
    `<command-name>${typed ? "/" : ""}${skill.name}</command-name>`,
    ...(args === "" ? [] : [`<command-args>${withoutTags(args)}</command-args>`]),
    ...(skill.kind === "command" ? [] : [`Base folder of this skill: ${dirname(skill.path)}`]),
    "",
    withoutTags(body),
  ].join("\n");
}

/** Whether this skill was loaded by one of these texts. */
export function isLoadedBy(texts: readonly string[], name: string): boolean {
  const tags = [`<command-name>${name}</command-name>`, `<command-name>/${name}</command-name>`];
  return texts.some((text) => tags.some((tag) => text.includes(tag)));
}

/** What is loaded, and by whom, is the runtime's to say. */
function withoutTags(text: string): string {
  return harmless(text).replace(/<(?=\s*\/?\s*command-(?:name|args)\b)/gi, "&lt;");
}
