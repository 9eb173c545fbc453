import { troupeHome } from "../../journal/paths.ts";
import type { CliIO } from "../io.ts";
import { sessionSettings } from "../session-settings.ts";

/** Why git may not read and write files here: it would run what nobody has agreed to. Null: it runs only itself. */
export async function whyNoGit(io: CliIO, folder: string, trusts: boolean): Promise<string | null> {
  const home = troupeHome(io.env, io.homedir);
  const { reader } = await sessionSettings(io, { cwd: folder, home, trusts });
  const foreign = reader.foreignGit(folder);
  return foreign === null
    ? null
    : `Nothing was done to worktrees here: git would look at files, and ${foreign}.`;
}
