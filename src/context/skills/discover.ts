import type { Dirent } from "node:fs";
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

/** What stands among the folders of skills, and is none. */
export interface Stray {
  readonly place: SkillPlace;
  readonly entry: Dirent;
}

export interface Discovered {
  readonly found: readonly FoundFile[];
  readonly strays: readonly Stray[];
  /** There are more than are looked at. */
  readonly full: boolean;
}

/** Every file that may hold a skill, in the order in which names count. */
export function discovered(places: readonly SkillPlace[], files: Files): Discovered {
  const found: FoundFile[] = [];
  const strays: Stray[] = [];
  for (const place of places) {
    const left = MOST_SKILLS - found.length;
    found.push(
      ...(place.kind === "skill" ? skillsIn(place, files, left, strays) : commandsIn(place, files, left)),
    );
  }
  return { found, strays, full: found.length >= MOST_SKILLS };
}

function skillsIn(place: SkillPlace, files: Files, most: number, strays: Stray[]): FoundFile[] {
  const found: FoundFile[] = [];
  for (const entry of entriesOf(place.folder, files)) {
    if (found.length >= most) break;
    const skill = entry.isFile() ? null : skillIn(place, files, entry);
    if (skill === null) strays.push({ place, entry });
    else found.push(skill);
  }
  return found;
}

function skillIn(place: SkillPlace, files: Files, entry: Dirent): FoundFile | null {
  const folder = below(place.folder, entry.name);
  for (const name of ["SKILL.md", "skill.md"]) {
    const path = below(folder, name);
    const look = files.look(path);
    if (look.type !== "none") return { path, called: entry.name, place, look };
  }
  return null;
}

function commandsIn(place: SkillPlace, files: Files, most: number): FoundFile[] {
  const found: FoundFile[] = [];
  const visit = (folder: string, names: readonly string[]): void => {
    for (const entry of entriesOf(folder, files)) {
      if (found.length >= most) return;
      const path = below(folder, entry.name);
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

/** A name in a folder. All of `join` would cost more than to look at what is there. */
export function below(folder: string, name: string): string {
  return `${folder}/${name}`;
}

/** Nothing of what is hidden, in an order that is the same everywhere. */
export function entriesOf(folder: string, files: Files): Dirent[] {
  const shown = files.entries(folder).filter(({ name }) => !name.startsWith(".") && name !== "node_modules");
  return shown.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MOST_ENTRIES);
}
