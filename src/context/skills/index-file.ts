import { isObject, isTexts, type KeptIndex, keptIn } from "../kept-index.ts";
import type { ReadSkill } from "./read-skill.ts";
import { type Skill, skillOrigins } from "./skill.ts";

/** Raised when what is read of a file changes its meaning. */
const VERSION = 3;

export function skillIndex(home: string, cwd: string): KeptIndex<ReadSkill> {
  return { path: keptIn(home, "skills", cwd), version: VERSION, isKept };
}

function isKept(value: unknown): value is ReadSkill {
  if (!isObject(value)) return false;
  const { skill, notes, real } = value;
  return (skill === null || isSkill(skill)) && isTexts(notes) && typeof real === "string";
}

const TEXTS = ["name", "description", "path"] as const;
const TEXTS_OR_NULL = ["whenToUse", "argumentHint", "model", "agent", "plugin"] as const;
const LISTS = ["allowedTools", "arguments", "commands"] as const;
const FLAGS = ["forModel", "forPerson", "forks"] as const;

function isSkill(value: unknown): value is Skill {
  if (!isObject(value)) return false;
  const { kind, origin } = value;
  return (
    TEXTS.every((key) => typeof value[key] === "string") &&
    TEXTS_OR_NULL.every((key) => value[key] === null || typeof value[key] === "string") &&
    LISTS.every((key) => isTexts(value[key])) &&
    FLAGS.every((key) => typeof value[key] === "boolean") &&
    (kind === "skill" || kind === "command") &&
    skillOrigins.some((one) => one === origin)
  );
}
