import type { SealedBlobs } from "../engine/sealed-blobs.ts";
import { backgroundCommands } from "../features/background/commands.ts";
import { TreeCommands } from "../features/isolation/tree-commands.ts";
import type { Clock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { OfferedSpec, RunnerExit } from "../mailbox/runners.ts";
import { platformShell } from "../processes/platform-shell.ts";
import type { Processes } from "../processes/processes.ts";
import { Toolbox } from "../tools/toolbox.ts";
import { RemoteRefusal } from "../worktrees/refusal.ts";
import type { AgentUser } from "./agent-fork.ts";
import type { AttemptFiles, AttemptOutputs, RunnerFiles } from "./attempt-files.ts";
import type { CallRules } from "./call-rules.ts";
import type { SessionLink } from "./session-link.ts";

/** Returns the tools of an agent that would run here and cannot. */
export function lacking({ spec }: OfferedSpec): string[] {
  const known = new Toolbox(() => false);
  known.fill({ ours: [], custom: [] });
  return spec.tools.flatMap(({ name, side, module }) =>
    side === "agent" && (module !== undefined || known.find(name) === undefined) ? [name] : [],
  );
}

/**
 * Worktrees and clones belong to the runner's user. If another one could write there, git as the runner would read through
 * links that this one swaps, and the runner's keys would be in a snapshot.
 */
export function otherUserRefusal(
  { spec }: Pick<OfferedSpec, "spec">,
  { user, name }: { readonly user: AgentUser | undefined; readonly name: string },
): string | null {
  const writes = spec.tools.flatMap((tool) => (WRITES.has(tool.name) ? [tool.name] : []));
  if (user === undefined || writes.length === 0) return null;
  return `Runner ${name} runs agents as the user ${user.name} (--agent-user), who can change no file of a worktree, and this agent has ${writes.join(", ")}. Send it to a pool whose runners have troupe.sandbox.mode instead, or give it an agent type that only reads.`;
}

const WRITES: ReadonlySet<string> = new Set(["Write", "Edit", "NotebookEdit"]);

const SETUP_MS = 5 * 60_000;

export interface FilesSources {
  readonly link: Pick<SessionLink, "request" | "remark">;
  /** The runner's. */
  readonly name: string;
  readonly files: Pick<RunnerFiles, "prepare">;
  readonly blobs: SealedBlobs;
  readonly signal: AbortSignal;
  /** This machine could not prepare them; `reason` is a clause. */
  onFault(reason: string): void;
}

/**
 * Prepares the files of an attempt, from what its session sends. `result` never rejects: another runner may have what this one
 * lacks, such as room, or a lock that no stopped process holds.
 */
export function prepareFiles(
  offer: OfferedSpec,
  { link, name, files, blobs, signal, onFault }: FilesSources,
): { readonly preparing: Promise<AttemptFiles>; readonly result: Promise<AttemptFiles | RunnerExit> } {
  let isSent = true;
  /** What its session does not send is no fault of this machine. */
  const sent = <T>(part: Promise<T>) =>
    part.catch((error: unknown) => {
      isSent = false;
      throw error;
    });
  const preparing = files.prepare(offer, {
    request: (have, hasRemote) =>
      sent(link.request("files", "files", { have, ...(hasRemote ? { hasRemote } : {}) })),
    signal,
    blobs: { put: (bytes) => blobs.put(bytes), take: (hash) => sent(blobs.take(hash)) },
    onNote: (note) => link.remark(`The worktree of agent ${offer.actor} on runner ${name}: ${note}`),
  });
  const result = preparing.catch((error: unknown): RunnerExit => {
    const reason = errorMessage(error);
    // Agents of other sessions may not need the remote.
    const isOurs = isSent && !(error instanceof RemoteRefusal);
    if (isOurs && !signal.aborted) onFault(reason);
    return { type: "parked", reason: `runner ${name} could not prepare its files: ${reason}` };
  });
  return { preparing, result };
}

/** What an attempt's commands run by, and where their output goes. */
export interface OpenedRules {
  readonly outputs: AttemptOutputs;
  readonly toolbox: Toolbox;
  readonly rules: CallRules;
}

/** Runs the session's command for new worktrees, as one of the agent's. Rejects with a sentence if that fails; false if it was cut off. */
export async function setUpTree(
  { setup, files, actor, spec }: OfferedSpec,
  { outputs, rules }: Pick<OpenedRules, "outputs" | "rules">,
  {
    processes,
    clock,
    name,
    signal,
  }: {
    readonly processes: Processes;
    readonly clock: Clock;
    readonly name: string;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  if (setup === undefined || files === null) return true;
  const shell = platformShell(process.platform, process.env);
  const commands = backgroundCommands(processes, outputs, shell, rules.sandbox.commands);
  const command = { command: setup, timeoutMs: SETUP_MS };
  const failed = await new TreeCommands(commands, clock).setUp(actor, spec.root, command, signal);
  if (signal.aborted) return false;
  if (failed !== null) throw new Error(`troupe.runners.setup failed on runner ${name}. ${failed}`);
  return true;
}
