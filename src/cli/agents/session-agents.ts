import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { AgentsFlag } from "../../actors/definitions/agents-flag.ts";
import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import type { AgentLibrary, LoadedAgents } from "../../actors/definitions/load.ts";
import { formatProblem } from "../../context/markdown/fields.ts";
import type { AgentsNow } from "../../features/agents/agent-types.ts";
import type { Arguments } from "../arguments.ts";
import type { CliIO } from "../io.ts";
import { messageOf } from "../message-of.ts";
import { quoted } from "../option.ts";
import { sessionFlags as flags } from "../session-flags.ts";
import { UsageError } from "../usage-error.ts";

/** At the start of a session; `troupe agents` tells all. */
const MOST_NOTES = 3;
const MOST_FLAG_BYTES = 1_048_576;

export interface SessionAgents {
  readonly agents: readonly AgentDefinition[];
  /** As they are before a later prompt. */
  readonly agentsNow: AgentsNow;
  /** What the person must know of them. */
  readonly notes: readonly string[];
}

/** The agents that files and the flag define, for a session. */
export async function sessionAgents(library: AgentLibrary): Promise<SessionAgents> {
  let known = await library.look();
  const said = new Set<string>();
  const notesOn = ({ problems, inert }: LoadedAgents): readonly string[] => {
    const fresh = problems.map(formatProblem).filter((line) => !said.has(line));
    const told = [...fresh.slice(0, MOST_NOTES), ...moreThan(fresh.length - MOST_NOTES)];
    const notes = inert === null || said.has(inert) ? told : [...told, inert];
    for (const line of [...fresh, ...notes]) said.add(line);
    return notes;
  };
  return {
    agents: known.agents,
    notes: notesOn(known),
    async agentsNow() {
      const now = await library.look();
      if (now === known) return null;
      known = now;
      return { agents: now.agents, notes: notesOn(now) };
    },
  };
}

function moreThan(count: number): readonly string[] {
  return count > 0 ? [`${count} more of this kind; troupe agents tells all of them.`] : [];
}

/** What the flag says; undefined: it is not there. Throws a `UsageError` where it cannot be read. */
export async function agentsFlagIn(args: Arguments, { cwd }: CliIO): Promise<AgentsFlag | undefined> {
  const given = args.value(flags.agents);
  return given === undefined ? undefined : await agentsOf(given, cwd);
}

async function agentsOf(given: string, cwd: string): Promise<Readonly<Record<string, unknown>>> {
  const isJson = /^\s*[{[]/.test(given);
  const text = isJson ? given : await contentOf(resolve(cwd, given), given);
  try {
    const agents: unknown = JSON.parse(text);
    if (typeof agents === "object" && agents !== null && !Array.isArray(agents)) return { ...agents };
  } catch (error) {
    throw new UsageError(`--agents: ${quoted(given)} is no JSON: ${messageOf(error)}`);
  }
  throw new UsageError(
    "--agents: an object of agents by name is wanted, each with a description and a prompt.",
  );
}

async function contentOf(file: string, given: string): Promise<string> {
  try {
    const text = await readFile(file, { encoding: "utf8", signal: AbortSignal.timeout(5_000) });
    // Editors of Windows put a mark before it.
    if (text.length <= MOST_FLAG_BYTES) return text.replace(/^\uFEFF/, "");
  } catch (error) {
    throw new UsageError(
      `--agents: ${quoted(given)} is neither JSON nor a file that can be read: ${messageOf(error)}`,
    );
  }
  throw new UsageError(`--agents: ${quoted(given)} is larger than 1 MB.`);
}
