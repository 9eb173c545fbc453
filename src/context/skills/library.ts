import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { oneAtATime } from "../../lib/queues.ts";
import { listSome } from "../../lib/text.ts";
import type { Files } from "../files.ts";
import { chooseByName, formatLeftOut, type Replacing } from "../markdown/choose-by-name.ts";
import { formatProblem } from "../markdown/fields.ts";
import {
  type FoundMarkdown,
  findMarkdown,
  type MarkdownFile,
  visibleEntries,
} from "../markdown/find-markdown.ts";
import { rereadChanged } from "../markdown/read-markdown.ts";
import { type SkillGrant, skillGrant, skillGrants, skillReplacements } from "./grants.ts";
import { type ReadSkill, readSkill } from "./read-skill.ts";
import { NO_SKILLS, type Skill, type SkillOrigin, type Skills } from "./skill.ts";
import { type SkillDir, type SkillSearch, skillDirs } from "./skill-dirs.ts";

/** The skills of one session. */
export function skillLibrary(search: SkillSearch, files: Files) {
  const read = rereadChanged((file: MarkdownFile<SkillDir>) => readSkill(file, files));
  let now = NO_SKILLS;
  let replacing: readonly Replacing<Skill>[] = [];
  const inTurn = oneAtATime();

  async function look(): Promise<Skills> {
    const dirs = skillDirs(search, files);
    const found = findMarkdown(dirs, files);
    const gathered = gather(found, await read(found.files), search);
    ({ replacing } = gathered);
    const notes = [...gathered.notes, ...misplacedSkills(found.strays, dirs, files)];
    const fresh: Skills = { all: gathered.skills, notes };
    if (!isDeepStrictEqual(fresh, now)) now = fresh;
    return now;
  }

  const next = () => inTurn(look);

  return {
    /** As they were at the last look. */
    get now() {
      return now;
    },
    /** Looks at every file, and reads those that have changed. Never rejects. */
    look: next,
    /** What the project's own skills ask for; the same whether the directory is trusted or not. */
    async grants(): Promise<readonly SkillGrant[]> {
      const { all } = await next();
      const skills = [...new Set([...all, ...replacing.map(({ definition }) => definition)])];
      // The user installed the others.
      const own = skills.filter(({ origin }) => origin === "project");
      return [...replacing.map(skillGrant), ...skillGrants(own)];
    },
  };
}

function gather(
  { files, problems }: FoundMarkdown<SkillDir>,
  reads: readonly ReadSkill[],
  { trusted, denied, reserved = [] }: SkillSearch,
): {
  readonly skills: readonly Skill[];
  readonly replacing: readonly Replacing<Skill>[];
  readonly notes: readonly string[];
} {
  const notes = problems.map(formatProblem);
  const skills = withSeparateNames(reads.map(({ skill }) => skill));
  const given = files.flatMap(({ path, real, of: { agreed } }, at) => {
    const [skill = null, own = []] = [skills[at], reads[at]?.notes];
    const more =
      skill === null || !agreed ? [] : skillGrants([skill]).filter((one) => !agreed.has(one.digest));
    const why = denied(real)
      ? "a rule forbids reading it"
      : more.length > 0
        ? `it has changed and would now ${more.map(({ words }) => words).join("; ")}; start a new session to use it`
        : null;
    notes.push(...(why === null ? own : [`${path} was left out, because ${why}.`]));
    return skill === null || why !== null ? [] : [skill];
  });
  const { chosen, replacing } = chooseByName(given, {
    keyOf: ({ name }) => name,
    replacedOf: skillReplacements(given, reserved),
    isDuplicate: () => false,
    trusted: trusted(),
  });
  const left = trusted() ? null : formatLeftOut("skills", replacing);
  if (left !== null) notes.unshift(left);
  return { skills: withOwnAliases(chosen, reserved).sort(byOriginAndName), replacing, notes };
}

/** Skills of plug-ins that have one name in their files are called as their directories are: none is lost. */
function withSeparateNames(skills: readonly (Skill | null)[]): (Skill | null)[] {
  const byName = Map.groupBy(skills, (skill) => skill?.name);
  return skills.map((skill) =>
    skill?.origin === "plugin" && skill.alias !== null && (byName.get(skill.name)?.length ?? 0) > 1
      ? { ...skill, name: skill.alias, alias: null }
      : skill,
  );
}

/** An alias calls a skill only if nothing has it as its name. */
function withOwnAliases(skills: readonly Skill[], reserved: readonly string[]): Skill[] {
  const taken = new Set([...reserved, ...skills.map(({ name }) => name)].map((name) => name.toLowerCase()));
  return skills.map((skill) =>
    skill.alias !== null && taken.has(skill.alias.toLowerCase()) ? { ...skill, alias: null } : skill,
  );
}

const RANK: Readonly<Record<SkillOrigin, number>> = {
  project: 0,
  user: 1,
  enterprise: 2,
  plugin: 3,
  shipped: 4,
};

/** The same everywhere, so that the list of skills is the same bytes. */
function byOriginAndName(a: Skill, b: Skill): number {
  const rank = RANK[a.origin] - RANK[b.origin];
  return rank === 0 ? (a.name < b.name ? -1 : 1) : rank;
}

const MAX_NAMED = 3;
/** Notes that people keep next to their skills and agents. */
const NOTES = /^(?:readme|changelog|contributing|licen[cs]e|index|claude|agents)\b/i;

/** Returns sentences about files that were meant as skills and are where no program looks for one. */
function misplacedSkills(
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
            `${listSome(flat, MAX_NAMED)}: a skill is a directory with a file SKILL.md in it, such as ${join(of.dir, basename(first, ".md"), "SKILL.md")}.`,
          ]),
      ...(deep.length === 0
        ? []
        : [
            `${listSome(deep, MAX_NAMED)}: skills are looked for one directory deep; move them to ${join(of.dir, "NAME", "SKILL.md")}.`,
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
