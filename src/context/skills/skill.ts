/** Whose skill it is, from those that nobody overrides to those that everybody may. */
export const skillOrigins = ["enterprise", "user", "project", "plugin", "shipped"] as const;
export type SkillOrigin = (typeof skillOrigins)[number];

/** What the front matter of a skill says, all of it, with what counts where it says nothing. */
export interface SkillHead {
  /** As it is called: `name`, `folder:name` of a command in a folder, `plugin:name` of a plug-in. */
  readonly name: string;
  readonly description: string;
  readonly whenToUse: string | null;
  /** Permission rules that it wants to hold while it is worked on. */
  readonly allowedTools: readonly string[];
  readonly argumentHint: string | null;
  /** Names of its arguments, by place. */
  readonly arguments: readonly string[];
  readonly model: string | null;
  /** The model may load it by itself. */
  readonly forModel: boolean;
  /** The person may call it as `/name`. */
  readonly forPerson: boolean;
  /** It is carried out by an agent of its own. */
  readonly forks: boolean;
  /** The type of that agent. */
  readonly agent: string | null;
  /** Commands that are run when it is loaded; their output stands in their place. */
  readonly commands: readonly string[];
}

/** Text that is loaded into a conversation when it is wanted: a skill's `SKILL.md`, or a command's file. */
export interface Skill extends SkillHead {
  readonly kind: "skill" | "command";
  readonly origin: SkillOrigin;
  /** Its file. */
  readonly path: string;
  /** The folder of the plug-in that it belongs to. */
  readonly plugin: string | null;
}

/** All skills that there are, each name once, those of the project first. The same object while nothing changes. */
export interface Skills {
  readonly all: readonly Skill[];
  /** Sentences for the person, with file and line: what cannot be used, and why. */
  readonly notes: readonly string[];
}

export const NO_SKILLS: Skills = { all: [], notes: [] };
