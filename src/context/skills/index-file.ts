import { type KeptIndex, keptIn } from "../kept-index.ts";
import type { SkillSearch } from "./places.ts";
import type { ReadSkill } from "./read-skill.ts";
import { shippedSkills } from "./shipped.ts";
import type { Skills } from "./skill.ts";

/** Raised when what is read of a file changes its meaning, or its shape. */
const VERSION = 6;

/** What was read of each file. */
export function skillIndex(home: string, cwd: string): KeptIndex<ReadSkill> {
  return { path: keptIn(home, "skills", cwd), version: VERSION };
}

/** What came of all of them. */
export interface MadeSkills {
  readonly skills: Skills;
  /** Each of their files, where it really is: no rule denied one of them. */
  readonly reals: readonly string[];
}

/** One for each way to look for them. */
export function madeSkillIndex(
  { cwd, homedir, home, managed, plugins = [], shipped = true }: SkillSearch,
  trusted: boolean,
): KeptIndex<MadeSkills> {
  const where = JSON.stringify([cwd, homedir, managed, plugins, shipped ? shippedSkills() : null, trusted]);
  return { path: keptIn(home, "skill-list", where), version: VERSION };
}
