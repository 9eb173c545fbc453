import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import type { LoadedAgents } from "../../actors/definitions/load.ts";
import type { AgentProblem } from "../../actors/definitions/problem.ts";
import { managedSettingsFile } from "../../policy/settings/places.ts";
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
  /** What the person must know of them. */
  readonly notes: readonly string[];
}

interface Where {
  readonly cwd: string;
  readonly trusted: boolean;
}

/** The agents that files and the flag define, for a session. Throws a `UsageError` where the flag's cannot be read. */
export async function sessionAgents(args: Arguments, io: CliIO, where: Where): Promise<SessionAgents> {
  const { agents, problems, inert } = await definedAgents(args, io, where);
  const told = problems.slice(0, MOST_NOTES).map(problemLine);
  const more = problems.length - told.length;
  return {
    agents,
    notes: [
      ...told,
      ...(more > 0 ? [`${more} more of this kind; troupe agents tells all of them.`] : []),
      ...(inert === null ? [] : [inert]),
    ],
  };
}

/** The same with all that is wrong. */
export async function definedAgents(
  args: Arguments,
  { homedir, managedSettings, cwd: from }: CliIO,
  { cwd, trusted }: Where,
): Promise<LoadedAgents> {
  const given = args.value(flags.agents);
  const flag = given === undefined ? undefined : await agentsOf(given, from);
  const managed = dirname(managedSettings ?? managedSettingsFile(process.platform));
  const { loadAgents } = await import("../../actors/definitions/load.ts");
  const { diskFiles } = await import("../../context/disk-files.ts");
  return loadAgents({ cwd, homedir, managed, trusted }, diskFiles, flag);
}

/** Where it is, and what is wrong. */
export function problemLine({ file, line, message }: AgentProblem): string {
  return file === null ? message : `${file}${line === null ? "" : `:${line}`} ${message}`;
}

async function agentsOf(given: string, cwd: string): Promise<Readonly<Record<string, unknown>>> {
  const isJson = given.trimStart().startsWith("{");
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
    if (text.length <= MOST_FLAG_BYTES) return text;
  } catch (error) {
    throw new UsageError(
      `--agents: ${quoted(given)} is neither JSON nor a file that can be read: ${messageOf(error)}`,
    );
  }
  throw new UsageError(`--agents: ${quoted(given)} is larger than 1 MB.`);
}
