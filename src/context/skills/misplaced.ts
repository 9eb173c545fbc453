import { basename, join } from "node:path";
import type { Files } from "../files.ts";
import { entriesOf, type Stray } from "./discover.ts";
import type { SkillPlace } from "./places.ts";

const MOST_NAMED = 3;
/** People keep notes beside their skills. */
const NOTES = /^(?:readme|changelog|contributing|licen[cs]e|index|claude|agents)\b/i;

/** Sentences about files that were meant as skills, and stand where no program looks for one. */
export function misplaced(
  strays: readonly Stray[],
  places: readonly SkillPlace[],
  files: Files,
): readonly string[] {
  return places.flatMap((place) => {
    if (place.kind !== "skill" || (place.origin !== "project" && place.origin !== "user")) return [];
    const entries = strays.flatMap((stray) => (stray.place === place ? [stray.entry] : []));
    const flat = entries
      .filter((entry) => entry.isFile() && /\.md$/i.test(entry.name) && !NOTES.test(entry.name))
      .map(({ name }) => join(place.folder, name));
    const deep = entries
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => skillsBelow(join(place.folder, name), files));
    const [one = ""] = flat;
    const instead = join(place.folder, basename(one, ".md"), "SKILL.md");
    return [
      ...(flat.length === 0
        ? []
        : [`${listed(flat)}: a skill is a folder with a file SKILL.md in it, such as ${instead}.`]),
      ...(deep.length === 0
        ? []
        : [
            `${listed(deep)}: skills are looked for one folder deep; move them to ${join(place.folder, "NAME", "SKILL.md")}.`,
          ]),
    ];
  });
}

function skillsBelow(folder: string, files: Files): readonly string[] {
  return entriesOf(folder, files)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name, "SKILL.md"))
    .filter((path) => files.look(path).type === "file");
}

function listed(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED;
  return `${paths.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
