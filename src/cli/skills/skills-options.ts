import type { PluginSource } from "../../context/plugins/read-plugin.ts";
import type { SkillSearch } from "../../context/skills/skill-dirs.ts";
import type { SkillsOptions } from "../../features/skills/options.ts";
import type { Grant } from "../../policy/trust/grants.ts";
import type { Settings } from "../../settings/read-settings.ts";
import { managedDir } from "../directories.ts";
import type { CliIO } from "../io.ts";
import { conversationCommands } from "./slash-tasks.ts";

interface Where {
  readonly cwd: string;
  readonly home: string;
}

/** Returns what trusting the directory would let its own skills do. */
export async function skillGrantsIn(io: CliIO, { cwd, home }: Where): Promise<Grant[]> {
  const { skillLibrary } = await import("../../context/skills/library.ts");
  const { diskFiles } = await import("../../context/disk-files.ts");
  const search: SkillSearch & { readonly cwd: string } = {
    ...{ cwd, homedir: io.homedir, home, managed: managedDir(io), reserved: conversationCommands },
    // What its links lead to is not shown before the user has agreed.
    ...{ trusted: () => false, agreed: () => false, denied: () => false },
  };
  return [...(await skillLibrary(search, diskFiles).grants())];
}

/** Returns the skills of a session. `agreed`: the user has agreed to what this digest stands for. */
export function skillsOptions(
  io: CliIO,
  home: string,
  given: {
    readonly settings: Pick<Settings, "skills">;
    readonly plugins: readonly PluginSource[];
    readonly trusted: boolean;
    readonly agreed: (digest: string) => boolean;
    readonly withHooks: boolean;
  },
): SkillsOptions {
  const { trusted, agreed, plugins } = given;
  return {
    ...given.settings.skills,
    hooks: given.withHooks,
    search: {
      ...{ homedir: io.homedir, home, managed: managedDir(io), agreed, plugins },
      reserved: conversationCommands,
      trusted: () => trusted,
    },
  };
}
