import type { Files } from "../files.ts";
import { readFrontMatter } from "../front-matter/front-matter.ts";
import { LOST, lineOfLoss } from "../front-matter/lost-characters.ts";
import { isPathInside } from "../memory/places.ts";
import type { FoundFile } from "./discover.ts";
import { skillHead } from "./head.ts";
import type { SkillSearch } from "./places.ts";
import type { Skill } from "./skill.ts";

/** Bytes of one file; what is longer belongs into files beside it. */
export const SKILL_BYTES = 256 * 1024;

/** What came of one file: whatever is wrong with it is said in sentences with its name and line. */
export interface ReadSkill {
  readonly skill: Skill | null;
  readonly notes: readonly string[];
  /** Where it really is. */
  readonly real: string;
}

/** Reads one file. Never rejects, whatever stands in it. */
export async function readSkill({ path, called, place, look }: FoundFile, files: Files): Promise<ReadSkill> {
  const unusable = (note: string, real = path): ReadSkill => ({ skill: null, notes: [note], real });
  if (look.type === "unusable") return unusable(`${path} ${look.reason}.`);
  if (look.size > SKILL_BYTES)
    return unusable(
      `${path} has ${look.size} bytes, and a skill has at most ${SKILL_BYTES}; move what is long into files beside it.`,
    );
  const content = files.read(path, SKILL_BYTES);
  if (content.type === "unusable") return unusable(`${path} ${content.reason}.`);
  const read = await readFrontMatter(withQuotedHint(content.text));
  if (read.type === "broken")
    return unusable(`${path}:${read.fault.line} ${read.fault.message}`, content.real);
  const { fields, faults, body } =
    read.type === "read" ? read : { fields: new Map(), faults: [], body: content.text };
  const { prefix, kind, origin, plugin } = place;
  const { head, faults: more } = skillHead({ fields, body, called, namesItself: kind === "skill", prefix });
  const lost = lineOfLoss(content.text);
  const damage = lost === null ? [] : [{ line: lost, message: LOST }];
  const notes = [...faults, ...more, ...damage].map(({ line, message }) => `${path}:${line} ${message}`);
  const skill = head === null ? null : { ...head, kind, origin, path, plugin };
  return { skill, notes, real: content.real };
}

/** `[number] [priority]` without quotes is what people write, and no YAML. */
function withQuotedHint(text: string): string {
  return text.replace(
    /^(argument[-_]hint:[ \t]*)([[<{].*?)[ \t]*$/im,
    (_, key: string, hint: string) => `${key}'${hint.replaceAll("'", "''")}'`,
  );
}

/** Why a file may not be told to a model, whatever it says; null: it may. */
export function withheldReason(
  real: string,
  { path, place }: Pick<FoundFile, "path" | "place">,
  { trusted, denied }: Pick<SkillSearch, "trusted" | "denied">,
  realOf: Files["real"],
): string | null {
  if (denied(real)) return `${path} was left out, because a rule forbids to read it.`;
  if (place.reach === null || isPathInside(real, realOf(place.reach)) || trusted()) return null;
  return `${path} was left out: it leads out of the project to ${real}; --trust agrees to that for one run.`;
}
