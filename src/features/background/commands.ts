import type { Outputs } from "../../journal/outputs.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { CommandOutput, CommandRequest, CommandResult } from "../../mailbox/runs.ts";
import type { Prepared, Sandbox, SandboxPlace, SandboxSettings } from "../../policy/sandbox/sandbox.ts";
import { endsOfFile } from "../../processes/file-ends.ts";
import { folderIn, type Shell } from "../../processes/platform-shell.ts";
import type { Lines, Processes, ProcessResult, RunWatch } from "../../processes/processes.ts";
import type { CommandPlace } from "../../supervisor/running-call.ts";
import { MAX_OUTPUT_CHARS } from "../../tools/command-output.ts";

/** Bytes of output after which a command is stopped, so that a flood cannot fill the disk. */
const MAX_OUTPUT_BYTES = 1_000_000_000;
/** Output up to this size may fit into the result: a character has at least one byte. */
const KEEP_OVER_BYTES = MAX_OUTPUT_CHARS;

/** A running command, with the file of its output. */
export interface RunningCommand {
  readonly id: string;
  readonly path: string;
  /** Never rejects. */
  readonly result: Promise<CommandResult>;
}

export interface CommandOptions {
  readonly owner: ActorId;
  readonly command: string;
  readonly cwd: string;
  /** Null for no timeout. */
  readonly timeoutMs: number | null;
  /** True to keep even a short output's file until the session ends. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
  readonly watch?: RunWatch;
  /** Receives the lines that it prints, while it runs. */
  readonly onLines?: (lines: readonly string[]) => void;
  /** Where the gate allowed this command to run; by default in the sandbox, if there is one. */
  readonly where?: CommandPlace;
}

/** The session's sandbox, and each actor's write scope. */
export interface CommandSandbox {
  readonly sandbox: Sandbox;
  readonly mode: SandboxSettings["mode"];
  place(owner: ActorId): SandboxPlace;
}

/** Runs the session's commands: adds the shell and the file for the output. */
export interface Commands {
  run(
    owner: ActorId,
    request: CommandRequest,
    signal: AbortSignal,
    where?: CommandPlace,
    onLines?: (lines: readonly string[]) => void,
  ): Promise<CommandResult>;
  /** Returns the problem if the command cannot even be tried. */
  start(options: CommandOptions): RunningCommand | string;
}

/**
 * Returns the session's commands. `sandbox` is null if the user has disabled it; commands then run without one.
 * `variables`: what each of them has in its environment in addition.
 */
export function backgroundCommands(
  processes: Processes,
  outputs: Pick<Outputs, "next">,
  shell: Shell | null,
  sandbox: CommandSandbox | null = null,
  variables: () => Readonly<Record<string, string>> = () => ({}),
): Commands {
  const start = (options: CommandOptions): RunningCommand | string => {
    if (shell === null)
      return "There is no bash on this machine, and commands run in nothing else. Install bash, or add its directory to PATH.";
    const { owner, command, cwd, timeoutMs, keep, signal, onLines, where } = options;
    let place: ReturnType<Outputs["next"]>;
    try {
      place = outputs.next();
    } catch (error) {
      return errorMessage(error);
    }
    const watch = onLines
      ? {
          started: () => processes.follow(place.id, 0, []),
          lines: ({ lines }: Lines) => onLines(lines),
        }
      : options.watch;
    const run = async (prepared: Prepared | null): Promise<CommandResult> => {
      const request = {
        ...{ id: place.id, owner, file: shell.file, args: shell.args(command), cwd, timeoutMs },
        env: { ...variables(), ...prepared?.env },
        ...(prepared === null ? {} : { confined: prepared.confined }),
        maxOutputBytes: MAX_OUTPUT_BYTES,
        output: { path: place.path, keepOverBytes: keep ? -1 : KEEP_OVER_BYTES, report: true },
      };
      const result = await resultOf(await processes.run(request, signal, watch), place.path);
      return prepared === null ? result : withNotes(result, prepared);
    };
    if (where?.light !== undefined) return { ...place, result: run(where.light) };
    const held = sandbox !== null && !(where?.outside === true && sandbox.mode !== "required");
    return { ...place, result: held ? runInside(sandbox, owner, signal, run) : run(null) };
  };

  return {
    start,
    async run(owner, { command, cwd, timeoutMs }, signal, where, onLines) {
      const own = { ...(where === undefined ? {} : { where }), ...(onLines ? { onLines } : {}) };
      const running = start({ owner, command, cwd, timeoutMs, keep: false, signal, ...own });
      return typeof running === "string" ? commandNotRun(running) : running.result;
    },
  };
}

/** Runs a command in the sandbox. It never falls back to running outside, nor runs a failed command again. */
async function runInside(
  { sandbox, place }: CommandSandbox,
  owner: ActorId,
  signal: AbortSignal,
  run: (prepared: Prepared) => Promise<CommandResult>,
): Promise<CommandResult> {
  const prepared = await sandbox.prepare(place(owner));
  if (typeof prepared === "string") return commandNotRun(prepared);
  if (!signal.aborted) return run(prepared);
  await prepared.finish();
  return commandNotRun("Cancelled before it was started.", "cancelled");
}

/** Adds the sandbox's notes if they explain a failure or it has moved something. */
async function withNotes(result: CommandResult, { confined, finish }: Prepared): Promise<CommandResult> {
  const failed = result.outcome === "exited" && result.exitCode !== 0 && confined.type === "read";
  const notes = [result.reason, failed ? readOnlyNote(result.output) : null, await finish()].filter(Boolean);
  return notes.length === 0 ? result : { ...result, reason: notes.join(" ") };
}

/** Returns a note only if nothing else explains the exit code, as it costs tokens in each later turn. */
function readOnlyNote({ head, tail }: CommandOutput): string | null {
  const said = `${head}${tail ?? ""}`;
  const isRefused =
    said === "" || /read-only file system|permi(?:tted|ssion)|EROFS|EACCES|EPERM|network|resolve/i.test(said);
  return isRefused ? "It ran read-only, without network." : null;
}

async function resultOf(ended: ProcessResult, path: string): Promise<CommandResult> {
  const { outcome, exitCode, signal, reason, durationMs, truncated, file } = ended;
  const common = { outcome, exitCode, signal, durationMs, flooded: truncated };
  const why = reason === undefined ? {} : { reason };
  if (file) {
    const { bytes, head, tail, kept, report } = file;
    const output = { bytes, head, tail, path: kept ? path : null };
    return { ...common, ...why, output, cwd: folderIn(report) };
  }
  // The process host died: what the command had written is still there.
  const ends = outcome === "unknown" ? await endsOfFile(path).catch(() => null) : null;
  return { ...common, ...why, output: ends === null ? nothing : { ...ends, path }, cwd: null };
}

const nothing = { bytes: 0, head: "", tail: null, path: null };

export function commandNotRun(
  reason: string,
  outcome: CommandResult["outcome"] = "not-started",
): CommandResult {
  return {
    ...{ outcome, exitCode: null, signal: null, reason, durationMs: 0 },
    ...{ output: nothing, flooded: false, cwd: null },
  };
}
