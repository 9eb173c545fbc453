import { diskFiles } from "../../context/files.ts";
import { skillDirs } from "../../context/skills/skill-dirs.ts";
import type { SkillsOptions } from "./options.ts";
import { type SessionSkills, type SkillParts, sessionSkills } from "./session-skills.ts";

export interface SkillDirectories {
  readonly skills?: SkillsOptions;
  readonly cwd: string;
}

/** Skills and slash commands; null if the session has none. Joints: those of `SessionSkills`. */
export function openSkills(
  { skills, cwd }: SkillDirectories,
  parts: Omit<SkillParts, "options" | "cwd">,
): SessionSkills | null {
  if (skills === undefined) return null;
  return sessionSkills({ ...parts, options: skills, cwd });
}

/** Returns the directories of skills, whose files can be read wherever they are. */
export function skillFolders({ skills, cwd }: SkillDirectories): readonly string[] {
  if (skills === undefined) return [];
  return skillDirs({ ...skills.search, cwd }, diskFiles)
    .filter(({ kind, origin }) => kind === "skill" && origin !== "project")
    .map(({ dir }) => dir);
}
