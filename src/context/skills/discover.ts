import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Files, Look } from "../files.ts";
import type { SkillPlace } from "./places.ts";

/** Files in all; a repository can have any number. */
export const MOST_SKILLS = 2_000;
const MOST_DEPTH = 8;
/** Entries of one folder that are looked at. */
const MOST_ENTRIES = 5_000;

/** A file that may hold a skill. */
export interface FoundFile {
  readonly path: string;
  /** What it is called where it says nothing itself. */
  readonly called: string;
  readonly place: SkillPlace;
  readonly look: Exclude<Look, { type: "none" }>;
}

/** Every file that may hold a skill, in the order in which names count. `full`: there are more than are looked at. */
export function discovered(
  places: readonly SkillPlace[],
  files: Files,
): { readonly found: readonly FoundFile[]; readonly full: boolean } {
  const found: FoundFile[] = [];
  for (const place of places) {
    const left = MOST_SKILLS - found.length;
    found.push(...(place.kind === "skill" ? skillsIn(place, files, left) : commandsIn(place, files, left)));
  }
  return { found, full: found.length >= MOST_SKILLS };
}

function skillsIn(place: SkillPlace, files: Files, most: number): FoundFile[] {
  const found: FoundFile[] = [];
  for (const entry of entriesOf(place.folder)) {
    if (found.length >= most) break;
    if (entry.isFile()) continue;
    const folder = join(place.folder, entry.name);
    for (const name of ["SKILL.md", "skill.md"]) {
      const path = join(folder, name);
      const look = files.look(path);
      if (look.type === "none") continue;
      found.push({ path, called: entry.name, place, look });
      break;
    }
  }
  return found;
}

function commandsIn(place: SkillPlace, files: Files, most: number): FoundFile[] {
  const found: FoundFile[] = [];
  const visit = (folder: string, names: readonly string[]): void => {
    for (const entry of entriesOf(folder)) {
      if (found.length >= most) return;
      const path = join(folder, entry.name);
      if (/\.md$/i.test(entry.name)) {
        const look = files.look(path);
        const called = [...names, entry.name.slice(0, -3)].join(":");
        if (look.type !== "none") found.push({ path, called, place, look });
      } else if (!entry.isFile() && names.length < MOST_DEPTH) visit(path, [...names, entry.name]);
    }
  };
  visit(place.folder, []);
  return found;
}

/** Nothing of what is hidden, in an order that is the same everywhere. */
export function entriesOf(folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const shown = entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules");
    return shown.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MOST_ENTRIES);
  } catch {
    // There is no such folder, or it is not ours to look into: then there are no skills in it.
    return [];
  }
}
