import { type KeptIndex, keptIn } from "../kept-index.ts";
import type { ReadSkill } from "./read-skill.ts";

/** Raised when what is read of a file changes its meaning, or its shape. */
const VERSION = 4;

export function skillIndex(home: string, cwd: string): KeptIndex<ReadSkill> {
  return { path: keptIn(home, "skills", cwd), version: VERSION };
}
