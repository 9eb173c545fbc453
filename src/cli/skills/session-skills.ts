import { dirname } from "node:path";
import type { SkillSearch } from "../../context/skills/skill-dirs.ts";
import type { Grant } from "../../policy/trust/grants.ts";
import type { SkillsOptions } from "../../session/options.ts";
import { managedSettingsFile } from "../../settings/paths.ts";
import type { Settings } from "../../settings/read-settings.ts";
import { settingsDirs } from "../directories.ts";
import type { CliIO } from "../io.ts";
import { conversationCommands } from "./other-places.ts";

interface Where {
  readonly cwd: string;
  readonly home: string;
}

/** What trusting the folder would let its own skills do; none where there are no such skills. */
export async function skillGrantsIn(
  { homedir, managedSettings }: CliIO,
  { cwd, home }: Where,
): Promise<Grant[]> {
  const { skillLibrary } = await import("../../context/skills/library.ts");
  const { diskFiles } = await import("../../context/disk-files.ts");
  const search: SkillSearch & { readonly cwd: string } = {
    ...{ cwd, homedir, home, managed: managedFolder(managedSettings), reserved: conversationCommands },
    // Whatever its links lead to is not told before the person has agreed.
    ...{ trusted: () => false, agreed: () => false, denied: () => false },
  };
  return [...(await skillLibrary(search, diskFiles).grants())];
}

export interface SessionSkillsSetup {
  readonly skills: SkillsOptions;
  readonly notes: readonly string[];
}

/** The skills of a session. `agreed`: the person has agreed to what this digest stands for. */
export async function sessionSkillsSetup(
  { homedir, managedSettings, cwd: from }: CliIO,
  { cwd, home }: Where,
  given: {
    readonly settings: Pick<Settings, "skills" | "pluginDirs">;
    /** Of flags. */
    readonly plugins: readonly string[];
    readonly trusted: boolean;
    readonly agreed: (digest: string) => boolean;
  },
): Promise<SessionSkillsSetup> {
  const { pluginDirs, skills: placement } = given.settings;
  const [own, flagged] = await Promise.all([
    settingsDirs(pluginDirs, { cwd, homedir }),
    settingsDirs(
      given.plugins.map((text) => ({ text, file: "--plugin-dir" })),
      { cwd: from, homedir },
    ),
  ]);
  const { trusted, agreed } = given;
  return {
    notes: [...own.notes, ...flagged.notes],
    skills: {
      ...placement,
      search: {
        ...{ homedir, home, managed: managedFolder(managedSettings), agreed },
        plugins: [...new Set([...flagged.dirs, ...own.dirs])],
        reserved: conversationCommands,
        trusted: () => trusted,
      },
    },
  };
}

function managedFolder(managedSettings: string | undefined): string {
  return dirname(managedSettings ?? managedSettingsFile(process.platform));
}
