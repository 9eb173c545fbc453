import { type KeptIndex, keptIn } from "../../context/disk-cache.ts";
import type { ReadAgent } from "./agent-file.ts";
import type { AgentDefinition } from "./definition.ts";
import type { AgentProblem } from "./problem.ts";
import { builtInNames, type Replacing } from "./replacing.ts";
import type { AgentSearch } from "./search-paths.ts";

/** Raised when what is read of a file changes its meaning, or its shape. */
const VERSION = 5;

/** What was read of each file. */
export function agentIndex(home: string, cwd: string): KeptIndex<ReadAgent> {
  return { path: keptIn(home, "agents", cwd), version: VERSION };
}

/** What came of all of them, whatever the person has agreed to. */
export interface MadeAgents {
  /** One for each name, with all that they say, whether anybody has agreed to it or not. */
  readonly said: readonly AgentDefinition[];
  /** Those in whose place another stands. */
  readonly shadowed: readonly AgentDefinition[];
  /** The project's that take a name of another one; left out if the directory is not trusted. */
  readonly replacing: readonly Replacing[];
  readonly problems: readonly AgentProblem[];
}

/** One for each way to look for them. */
export function madeAgentIndex(
  { cwd, homedir, managed }: AgentSearch,
  { home, trusted }: { readonly home: string; readonly trusted: boolean },
): KeptIndex<MadeAgents> {
  const where = JSON.stringify([cwd, homedir, managed, trusted, builtInNames]);
  return { path: keptIn(home, "agent-list", where), version: VERSION };
}
