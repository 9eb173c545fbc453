import { dirname } from "node:path";
import type { AgentSearch } from "../../actors/definitions/agent-dirs.ts";
import type { AgentsFlag } from "../../actors/definitions/agents-flag.ts";
import type { AgentLibrary } from "../../actors/definitions/load.ts";
import { managedSettingsFile } from "../../settings/places.ts";
import type { CliIO } from "../io.ts";

/** The agents that files and the flag define for a directory. */
export async function agentLibraryIn(
  { homedir, managedSettings }: CliIO,
  cwd: string,
  flag: AgentsFlag | undefined,
  trust: Pick<AgentSearch, "trusted" | "agreed">,
): Promise<AgentLibrary> {
  const managed = dirname(managedSettings ?? managedSettingsFile(process.platform));
  const { agentLibrary } = await import("../../actors/definitions/load.ts");
  const { diskFiles } = await import("../../context/disk-files.ts");
  return agentLibrary({ cwd, homedir, managed, ...trust }, diskFiles, flag);
}
