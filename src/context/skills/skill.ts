/** Whose skill it is, from those that no one overrides to those that everyone may. */
export type SkillOrigin = "enterprise" | "user" | "project" | "plugin" | "shipped";

/** Text that is loaded into a conversation when it is needed: a skill's `SKILL.md`, or a command's file. */
export interface Skill {
  /** The name of its directory; `dir:name` of a command in a directory, `plugin:name` of a plug-in's skill. */
  readonly name: string;
  /** Another name that calls it, as its front matter says. */
  readonly alias: string | null;
  readonly kind: "skill" | "command";
  readonly origin: SkillOrigin;
  /** Its file. */
  readonly path: string;
  /** The directory of the plug-in that it belongs to. */
  readonly plugin: string | null;
  /** Values of `${NAME}` in its text that its plug-in gives it. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly description: string;
  readonly whenToUse: string | null;
  /** Permission rules that hold while the skill is in use. */
  readonly allowedTools: readonly string[];
  /** Rules for what may not be used while it is in use. */
  readonly disallowedTools?: readonly string[];
  readonly argumentHint: string | null;
  /** Names of its arguments, by position. */
  readonly arguments: readonly string[];
  readonly model: string | null;
  /** As in settings, by event; active while the skill is in use. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** The model may load it by itself. */
  readonly forModel: boolean;
  /** The user may call it as `/name`. */
  readonly forUser: boolean;
  /** An agent of its own carries it out. */
  readonly forks: boolean;
  /** The type of that agent. */
  readonly agent: string | null;
  /** Commands that run when it is loaded; their output takes their place. */
  readonly commands: readonly string[];
}

/** Returns the name as lists show it, with the alias that calls the skill, too. */
export function listedName({ name, alias }: Pick<Skill, "name" | "alias">): string {
  return alias === null ? name : `${name} (${alias})`;
}

/** All skills, each name once, those of the project first. The same object while nothing changes. */
export interface Skills {
  readonly all: readonly Skill[];
  /** Sentences for the user, with file and line: what cannot be used, and why. */
  readonly notes: readonly string[];
}

export const NO_SKILLS: Skills = { all: [], notes: [] };

/** What a name calls; `several`: it is the alias, or the end of the name, of more than one. */
export type CalledSkill =
  | { readonly type: "skill"; readonly skill: Skill }
  | { readonly type: "several"; readonly skills: readonly Skill[] }
  | { readonly type: "none" };

type Fits = (skill: Skill) => boolean;

/**
 * Finds a skill by its exact name or alias, which may have a slash in front, or its alias behind it as in the list.
 * `isUsable`: who asks may call it.
 */
export function skillNamed(name: string, skills: readonly Skill[], isUsable: Fits): CalledSkill {
  const wanted = name
    .trim()
    .replace(/^\//, "")
    .replace(/ \([^()]*\)$/, "");
  return firstOf(skills, isUsable, [(skill) => skill.name === wanted, ({ alias }) => alias === wanted]);
}

/** Finds a skill as users type it: in any case, and without the directory or plug-in if only one skill fits. */
export function skillTyped(name: string, skills: readonly Skill[]): CalledSkill {
  const wanted = name.trim().replace(/^\//, "").toLowerCase();
  const exact = skillNamed(name, skills, ({ forUser }) => forUser);
  if (exact.type !== "none") return exact;
  return firstOf(skills, ({ forUser }) => forUser, [
    (skill) => skill.name.toLowerCase() === wanted,
    ({ alias }) => alias?.toLowerCase() === wanted,
    (skill) => skill.name.toLowerCase().endsWith(`:${wanted}`),
    ({ alias }) => alias?.toLowerCase().endsWith(`:${wanted}`) ?? false,
  ]);
}

/** Says which skills a name may mean. `slash`: as a user types them. */
export function formatSeveral(name: string, skills: readonly Skill[], slash: "/" | ""): string {
  const names = skills.map((skill) => `${slash}${skill.name} (${skill.path})`);
  return `${JSON.stringify(name)} may mean ${skills.length} skills; call one by its name: ${names.join(", ")}.`;
}

/** Returns what the first of these conditions fits; those that may not be called only if no other does. */
function firstOf(skills: readonly Skill[], isUsable: Fits, conditions: readonly Fits[]): CalledSkill {
  for (const fits of conditions) {
    const found = skills.filter(fits);
    const usable = found.filter(isUsable);
    const [skill, ...others] = usable.length > 0 ? usable : found;
    if (skill !== undefined)
      return others.length === 0
        ? { type: "skill", skill }
        : { type: "several", skills: usable.length > 0 ? usable : found };
  }
  return { type: "none" };
}
