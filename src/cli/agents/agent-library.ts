import { dirname } from "node:path";
import type { AgentsFlag } from "../../actors/definitions/agents-flag.ts";
import type { AgentLibrary } from "../../actors/definitions/load.ts";
import type { AgentSearch } from "../../actors/definitions/search-paths.ts";
import { troupeHome } from "../../journal/paths.ts";
import { managedSettingsFile } from "../../settings/places.ts";
import type { CliIO } from "../io.ts";

/** The kinds of agents that files and the flag define for a folder. */
export async function agentLibraryIn(
  { homedir, managedSettings, env }: CliIO,
  cwd: string,
  flag: AgentsFlag | undefined,
  trust: Pick<AgentSearch, "trusted" | "agreed">,
): Promise<AgentLibrary> {
  const managed = dirname(managedSettings ?? managedSettingsFile(process.platform));
  const { agentLibrary } = await import("../../actors/definitions/load.ts");
  const { diskFiles } = await import("../../context/disk-files.ts");
  return agentLibrary({ cwd, homedir, managed, home: troupeHome(env, homedir), ...trust }, diskFiles, flag);
}
