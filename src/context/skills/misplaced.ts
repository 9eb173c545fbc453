import { basename, join } from "node:path";
import type { Files } from "../files.ts";
import { type FoundMarkdown, visibleEntries } from "../markdown/find-markdown.ts";
import type { SkillDir } from "./skill-dirs.ts";

const MAX_NAMED = 3;
/** Notes that people keep next to their skills and agents. */
export const NOTES = /^(?:readme|changelog|contributing|licen[cs]e|index|claude|agents)\b/i;

/** Returns sentences about files that were meant as skills and are where no program looks for one. */
export function misplacedSkills(
  strays: FoundMarkdown<SkillDir>["strays"],
  dirs: readonly SkillDir[],
  files: Files,
): readonly string[] {
  return dirs.flatMap((of) => {
    if (of.origin !== "project" && of.origin !== "user") return [];
    const entries = strays.filter((stray) => stray.of === of).map(({ entry }) => entry);
    const flat = entries
      .filter((entry) => entry.isFile() && /\.md$/i.test(entry.name) && !NOTES.test(entry.name))
      .map(({ name }) => join(of.dir, name));
    const deep = entries
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => skillsBelow(join(of.dir, name), files));
    const [first] = flat;
    return [
      ...(first === undefined
        ? []
        : [
            `${listPaths(flat)}: a skill is a directory with a file SKILL.md in it, such as ${join(of.dir, basename(first, ".md"), "SKILL.md")}.`,
          ]),
      ...(deep.length === 0
        ? []
        : [
            `${listPaths(deep)}: skills are looked for one directory deep; move them to ${join(of.dir, "NAME", "SKILL.md")}.`,
          ]),
    ];
  });
}

function skillsBelow(dir: string, files: Files): readonly string[] {
  return visibleEntries(dir, files)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(dir, name, "SKILL.md"))
    .filter((path) => files.look(path).type === "file");
}

function listPaths(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMED;
  return `${paths.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
