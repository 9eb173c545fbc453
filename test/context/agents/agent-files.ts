import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentsFlag } from "../../../src/context/agents/from-fields.ts";
import { agentLibrary, type LoadedAgents } from "../../../src/context/agents/load.ts";
import { diskFiles } from "../../../src/context/files.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { temporaryFolder } from "../../support/temporary.ts";

export interface Places {
  readonly project: string;
  readonly homedir: string;
  readonly managed: string;
}

/** A repository, a home folder and an organisation's folder. */
export function places(): Places {
  const project = temporaryFolder();
  mkdirSync(join(project, ".git"));
  return { project, homedir: temporaryFolder(), managed: temporaryFolder() };
}

/** Writes files below a folder's `.claude/agents`. */
export function agentsIn(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, ".claude", "agents", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

export function loaded(
  { project, homedir, managed }: Places,
  { cwd = project, trusted = true, flag }: { cwd?: string; trusted?: boolean; flag?: AgentsFlag } = {},
): Promise<LoadedAgents> {
  const trust = { trusted: () => trusted, agreed: () => trusted };
  return agentLibrary({ cwd, ...userPlaces({}, homedir), managed, ...trust }, diskFiles, flag).look();
}

export const simple = (name: string, more = "", prompt = `You are ${name}.`) =>
  `---\nname: ${name}\ndescription: It is ${name}.\n${more}---\n\n${prompt}\n`;
