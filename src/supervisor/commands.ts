import type { ActorId } from "../mailbox/ids.ts";
import type { CommandRequest, CommandResult } from "../mailbox/runs.ts";
import type { Program, Sandbox, SandboxPlace, SandboxSettings } from "../policy/sandbox/sandbox.ts";
import { endsOfFile } from "../processes/file-ends.ts";
import { folderIn, type Shell } from "../processes/platform-shell.ts";
import type { Processes, RunWatch } from "../processes/processes.ts";
import type { ProcessResult } from "../processes/requests.ts";
import { MAX_OUTPUT_CHARS } from "../tools/command-output.ts";
import type { Outputs } from "./outputs.ts";

/** Bytes of output after which a command is ended, so that a flood cannot fill the disk. */
const MAX_OUTPUT_BYTES = 1_000_000_000;
/** What may still be longer than is shown: a character of JavaScript is at least a byte. */
const KEEP_OVER_BYTES = MAX_OUTPUT_CHARS;

/** A command on its way: which file it writes to is known before it has ended. */
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
  /** Null: none. */
  readonly timeoutMs: number | null;
  /** Its file stays until the session ends, however short it is. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
  readonly watch?: RunWatch;
  /** The gate has let this very command run outside of the sandbox; without that it never does. */
  readonly outside?: boolean;
}

/** The sandbox of a session that has one, and what of the disk belongs to an actor. */
export interface CommandSandbox {
  readonly sandbox: Sandbox;
  readonly mode: SandboxSettings["mode"];
  place(owner: ActorId): SandboxPlace;
}

/** Runs the session's commands: fills in the shell and the file for the output. */
export interface Commands {
  run(
    owner: ActorId,
    request: CommandRequest,
    signal: AbortSignal,
    outside?: boolean,
  ): Promise<CommandResult>;
  /** A sentence where it cannot even be tried. */
  start(options: CommandOptions): RunningCommand | string;
}

/** `sandbox` is null where the person has switched it off: then commands run as they are. */
export function commandsOf(
  processes: Processes,
  outputs: Outputs,
  shell: Shell | null,
  sandbox: CommandSandbox | null = null,
): Commands {
  const start = (options: CommandOptions): RunningCommand | string => {
    if (shell === null)
      return "There is no bash on this machine, and commands run in nothing else. Install bash, or add its folder to PATH.";
    const { owner, command, cwd, timeoutMs, keep, signal, watch, outside = false } = options;
    let place: ReturnType<Outputs["next"]>;
    try {
      place = outputs.next();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    const run = async (program: Program, env?: Readonly<Record<string, string>>): Promise<CommandResult> => {
      const request = {
        ...{ id: place.id, owner, file: program.file, args: [...program.args], cwd, timeoutMs },
        ...(env === undefined ? {} : { env: { ...env } }),
        maxOutputBytes: MAX_OUTPUT_BYTES,
        output: { path: place.path, keepOverBytes: keep ? -1 : KEEP_OVER_BYTES, report: true },
      };
      return resultOf(await processes.run(request, signal, watch), place.path);
    };
    const program: Program = { file: shell.file, args: shell.args(command) };
    const held = sandbox !== null && !(outside && sandbox.mode !== "required");
    const result = held ? runInside(sandbox, owner, program, signal, run) : run(program);
    return { ...place, result };
  };

  return {
    start,
    async run(owner, { command, cwd, timeoutMs }, signal, outside = false) {
      const running = start({ owner, command, cwd, timeoutMs, keep: false, signal, outside });
      return typeof running === "string" ? notRun(running) : running.result;
    },
  };
}

/** What cannot be put into the sandbox is not run, and what failed in it is not run again. */
async function runInside(
  { sandbox, place }: CommandSandbox,
  owner: ActorId,
  program: Program,
  signal: AbortSignal,
  run: (program: Program, env: Readonly<Record<string, string>>) => Promise<CommandResult>,
): Promise<CommandResult> {
  const wrapped = await sandbox.wrap(program, place(owner), signal);
  if (wrapped.type === "not-wrapped") return notRun(wrapped.reason, signal.aborted ? "cancelled" : undefined);
  try {
    return await run(wrapped.program, wrapped.env);
  } finally {
    await wrapped.done();
  }
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
  // The host died over it: what the command had written is still there.
  const ends = outcome === "unknown" ? await endsOfFile(path).catch(() => null) : null;
  return { ...common, ...why, output: ends === null ? nothing : { ...ends, path }, cwd: null };
}

const nothing = { bytes: 0, head: "", tail: null, path: null };

function notRun(reason: string, outcome: CommandResult["outcome"] = "not-started"): CommandResult {
  return {
    ...{ outcome, exitCode: null, signal: null, reason, durationMs: 0 },
    ...{ output: nothing, flooded: false, cwd: null },
  };
}
