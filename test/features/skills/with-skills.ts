import { join } from "node:path";
import type { SkillsOptions } from "../../../src/features/skills/options.ts";
import type { Script } from "../../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { type Supervised, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

/** A session with skills of these files, the directory's own and those of a home that is empty but for `home`. */
export function withSkills(
  script: Script,
  {
    files = {},
    skills = {},
    agreed = () => false,
    ...options
  }: Partial<Omit<SupervisorOptions, "skills">> & {
    readonly files?: Readonly<Record<string, string>>;
    readonly skills?: Partial<Omit<SkillsOptions, "search">> & { readonly homedir?: string };
    readonly agreed?: (digest: string) => boolean;
  } = {},
): Supervised {
  const { homedir = temporaryFolder(), ...own } = skills;
  return supervised("in-thread", script, {
    files: { ".git/HEAD": "ref: refs/heads/main\n", ...files },
    skills: { ...own, ...skillsIn(homedir, agreed) },
    ...options,
  });
}

export function skillsIn(
  homedir: string,
  agreed: (digest: string) => boolean = () => false,
): NonNullable<SupervisorOptions["skills"]> {
  return {
    search: {
      ...userPlaces({}, homedir),
      home: join(homedir, ".troupe"),
      managed: join(homedir, "no-such-folder"),
      trusted: () => agreed(""),
      agreed,
    },
  };
}

/** A SKILL.md. */
export function skillFile(fields: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}`);
  return ["---", ...lines, "---", body].join("\n");
}

export const load = (skill: string, args?: string) => ({
  calls: [{ name: "Skill", input: { skill, ...(args === undefined ? {} : { args }) } }],
});
