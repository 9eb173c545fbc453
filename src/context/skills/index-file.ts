import { type KeptIndex, keptIn } from "../disk-cache.ts";
import type { SkillSearch } from "./places.ts";
import type { ReadSkill } from "./read-skill.ts";
import type { Replacing } from "./replacing.ts";
import { shippedSkills } from "./shipped.ts";
import type { Skills } from "./skill.ts";

/** Raised when what is read of a file changes its meaning, or its shape. */
const VERSION = 7;

/** What was read of each file. */
export function skillIndex(home: string, cwd: string): KeptIndex<ReadSkill> {
  return { path: keptIn(home, "skills", cwd), version: VERSION };
}

/** What came of all of them. */
export interface MadeSkills {
  readonly skills: Skills;
  /** The project's that take a name of another one; left out if the directory is not trusted. */
  readonly replacing: readonly Replacing[];
  /** Each of their files, where it really is: no rule denied one of them. */
  readonly reals: readonly string[];
}

/** One for each way to look for them. */
export function madeSkillIndex(
  { cwd, homedir, home, managed, plugins = [], shipped = true, reserved = [] }: SkillSearch,
  trusted: boolean,
): KeptIndex<MadeSkills> {
  const own = shipped ? shippedSkills() : null;
  const where = JSON.stringify([cwd, homedir, managed, plugins, own, reserved, trusted]);
  return { path: keptIn(home, "skill-list", where), version: VERSION };
}
