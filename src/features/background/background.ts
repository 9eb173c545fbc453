import type { SessionEvent } from "../../journal/session-events.ts";
import { commandId } from "../../journal/session-state.ts";
import type { Clock } from "../../lib/clock.ts";
import { oneLine, shorten } from "../../lib/text.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type {
  BackgroundAnswer,
  BackgroundRequest,
  CommandOutput,
  CommandRequest,
  CommandResult,
} from "../../mailbox/runs.ts";
import { endsOfFile } from "../../processes/file-ends.ts";
import type { Lines, Processes } from "../../processes/processes.ts";
import type { Notice } from "../../supervisor/notices.ts";
import type { CommandPlace } from "../../supervisor/running-call.ts";
import { formatSize } from "../../tools/command-output.ts";
import { endNotice, linesNotice } from "./command-notices.ts";
import { type Commands, commandNotRun } from "./commands.ts";

/** Commands of one actor that may run at the same time. */
const MAX_RUNNING = 32;
const TITLE_CHARS = 200;

const NOTHING: CommandOutput = { bytes: 0, head: "", tail: null, path: null };

/** A background command, or a script. Kept until the session ends, so that its output can be read after it ended. */
export interface BackgroundCommand {
  readonly id: string;
  readonly owner: ActorId;
  /** The ID of the run that is resumed, if it is a script. */
  readonly script?: string;
  readonly title: string;
  readonly path: string;
  readonly startedAt: number;
  end: CommandEnd | null;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

export interface CommandEnd {
  readonly state: "exited" | "killed";
  readonly exitCode: number | null;
  /** A sentence. */
  readonly ending: string;
  readonly at: number;
}

/** A script that runs in the background. */
export interface BackgroundScript extends Pick<BackgroundCommand, "id" | "owner" | "title" | "path"> {
  readonly script: string;
  /** Starts it; resolves with how it ended. Must not reject. */
  run(signal: AbortSignal): Promise<ScriptEnding>;
}

export interface ScriptEnding extends Omit<CommandEnd, "at"> {
  /** What its notice shows. */
  readonly text: string;
}

interface Entry extends BackgroundCommand {
  readonly stop: AbortController;
  /** Bytes its owner has seen. */
  seen: number;
  /** True if its owner knows that it ended, or no longer exists. */
  needsNoNotice: boolean;
  /** Its whole output, if its file may be gone. */
  last?: CommandOutput;
}

/** A command that a call waits for. */
interface Front {
  readonly owner: ActorId;
  move(): Promise<void>;
}

export interface BackgroundPorts {
  readonly commands: Commands;
  readonly processes: Pick<Processes, "follow" | "untime">;
  readonly clock: Clock;
  /** Sends a notice to the owner. */
  tell(owner: ActorId, notice: Notice): void;
  /** Withdraws a notice of an end that the owner knows already. */
  forget(owner: ActorId, notice: string): void;
  /** Called when a command of this owner has ended and its output is final. */
  onEnded(owner: ActorId): void;
  /** Writes to the journal, so that the next start can report commands that died with the program. */
  note(event: Extract<SessionEvent, { type: "command" | "command-end" }>): void;
}

/** The background commands of a session: their owners, states and notices. */
export class Background {
  readonly #ports: BackgroundPorts;
  readonly #entries = new Map<string, Entry>();
  readonly #front = new Set<Front>();

  constructor(ports: BackgroundPorts) {
    this.#ports = ports;
  }

  find(id: string): BackgroundCommand | undefined {
    return this.#entries.get(id);
  }

  /** In the order in which they started, with those that have ended. */
  get all(): BackgroundCommand[] {
    return [...this.#entries.values()];
  }

  get running(): BackgroundCommand[] {
    return this.all.filter(({ end }) => end === null);
  }

  runningOf(owner: ActorId): BackgroundCommand[] {
    return this.running.filter((entry) => entry.owner === owner);
  }

  /** Runs a command in the foreground, until it ends or the user moves it. */
  async run(
    owner: ActorId,
    request: CommandRequest,
    { stopping, life }: { readonly stopping: AbortSignal; readonly life: AbortSignal },
    { title, ...where }: CommandPlace & { readonly title: string },
    onLines: (lines: readonly string[]) => void,
  ): Promise<CommandResult> {
    const { commands, processes, clock } = this.#ports;
    const stop = new AbortController();
    const abort = () => stop.abort(stopping.reason);
    stopping.addEventListener("abort", abort, { once: true });
    if (stopping.aborted) abort();
    const { command, cwd, timeoutMs } = request;
    let isMoved = false;
    const running = commands.start({
      ...{ owner, command, cwd, timeoutMs, keep: false, where, signal: stop.signal },
      onLines: (lines) => isMoved || onLines(lines),
    });
    if (typeof running === "string") return commandNotRun(running);
    const { id, path, result } = running;
    const moved = Promise.withResolvers<CommandResult>();
    const since = clock.now();
    const front: Front = {
      owner,
      async move() {
        isMoved = true;
        // As one that was started there.
        processes.untime(id);
        const output = await endsOfFile(path).catch(() => NOTHING);
        const none = { exitCode: null, signal: null, flooded: false, cwd: null } as const;
        moved.resolve({
          ...{ ...none, outcome: "exited", moved: id, durationMs: clock.now() - since },
          output: { ...output, path },
        });
      },
    };
    this.#front.add(front);
    const ended = await Promise.race([result, moved.promise]);
    this.#front.delete(front);
    stopping.removeEventListener("abort", abort);
    if (ended.moved === undefined) return ended;
    this.#track(
      { id, owner, title: shorten(oneLine(title), TITLE_CHARS), path, startedAt: since },
      stop,
      life,
      async (entry) => {
        const end = await result;
        entry.last = end.output;
        this.#ended(entry, endOf(end, clock.now()), { ...end.output, path });
      },
    );
    return ended;
  }

  /** Moves the commands in the foreground of an actor; returns how many. */
  moveAll(owner: ActorId): number {
    const mine = [...this.#front].filter((front) => front.owner === owner);
    for (const front of mine) void front.move();
    return mine.length;
  }

  /** Resolves when the command runs or cannot run. The signal stops it. */
  async start(
    owner: ActorId,
    request: BackgroundRequest,
    signal: AbortSignal,
    where?: CommandPlace,
  ): Promise<BackgroundAnswer> {
    if (this.runningOf(owner).length >= MAX_RUNNING)
      return refused(`${MAX_RUNNING} commands of yours run in the background already. Stop one first.`);
    const { commands, clock } = this.#ports;
    const stop = new AbortController();
    const started = Promise.withResolvers<null>();
    const running = commands.start({
      ...{ owner, command: request.command, cwd: request.cwd, timeoutMs: null, keep: true },
      ...(where === undefined ? {} : { where }),
      signal: stop.signal,
      watch: {
        started: () => started.resolve(null),
        lines: (lines) => this.#lines(running, lines),
      },
    });
    if (typeof running === "string") return refused(running);
    const failure = await Promise.race([started.promise, running.result]);
    if (failure?.outcome === "not-started" || failure?.outcome === "cancelled")
      return refused(failure.reason ?? "The command was not started.");
    const { id, path } = running;
    this.#track(
      { id, owner, title: shorten(oneLine(request.description), TITLE_CHARS), path },
      stop,
      signal,
      async (entry) => {
        const result = await running.result;
        this.#ended(entry, endOf(result, clock.now()), { ...result.output, path });
      },
    );
    return { type: "started", task: id, path };
  }

  /** Runs a script for its owner, as a command is run. The signal stops it. */
  startScript({ run, ...script }: BackgroundScript, signal: AbortSignal): void {
    const stop = new AbortController();
    this.#track(
      { ...script, title: shorten(oneLine(script.title), TITLE_CHARS) },
      stop,
      signal,
      async (entry) => {
        const { text, ...end } = await run(stop.signal);
        const output = { bytes: Buffer.byteLength(text), head: text, tail: null, path: script.path };
        this.#ended(entry, { ...end, at: this.#ports.clock.now() }, output);
      },
    );
  }

  #track(
    task: Pick<BackgroundCommand, "id" | "owner" | "script" | "title" | "path"> &
      Partial<Pick<BackgroundCommand, "startedAt">>,
    stop: AbortController,
    signal: AbortSignal,
    untilEnded: (entry: Entry) => Promise<void>,
  ): void {
    const ended = Promise.withResolvers<void>();
    const entry: Entry = {
      ...{ startedAt: this.#ports.clock.now(), ...task, end: null, ended: ended.promise },
      ...{ stop, seen: 0, needsNoNotice: false },
    };
    this.#entries.set(entry.id, entry);
    const { id, owner: actor, script, title, path } = entry;
    const run = script === undefined ? {} : { script };
    this.#ports.note({ type: "command", actor, task: id, title, path, ...run });
    const abort = () => stop.abort();
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void untilEnded(entry).then(() => {
      signal.removeEventListener("abort", abort);
      ended.resolve();
    });
  }

  /** Returns its output so far, which counts as seen by the owner, as does its end. */
  async output(id: string): Promise<CommandOutput> {
    const entry = this.#entries.get(id);
    if (!entry) return NOTHING;
    // Checked before the file is read: an end during the read still needs a notice.
    if (entry.end !== null) {
      entry.needsNoNotice = true;
      this.#ports.forget(entry.owner, commandId(id));
    }
    const ends = await endsOfFile(entry.path).catch(() => entry.last ?? null);
    if (ends === null) return { ...NOTHING, head: `(${entry.path}, with its output, can no longer be read)` };
    entry.seen = Math.max(entry.seen, ends.bytes);
    return { ...ends, path: entry.path };
  }

  /** Returns the same for another reader: its owner has not seen it. */
  async peek(id: string): Promise<CommandOutput> {
    const entry = this.#entries.get(id);
    const ends = entry === undefined ? null : await endsOfFile(entry.path).catch(() => null);
    return ends === null ? NOTHING : { ...ends, path: entry?.path ?? null };
  }

  /** Stops it; resolves when it has ended. Its owner gets no notice, unless another stopped it. */
  async stop(id: string, byOwner = true): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.needsNoNotice ||= byOwner;
    entry.stop.abort();
    await entry.ended;
  }

  /** Notifies its owner of unseen lines, from the first match on. */
  follow(id: string, words: readonly string[]): void {
    const entry = this.#entries.get(id);
    if (entry) this.#ports.processes.follow(id, entry.seen, words);
  }

  /** Stops the commands of an ended actor without notices (A7.10). Returns those that still ran. */
  release(owner: ActorId): BackgroundCommand[] {
    const open = this.runningOf(owner);
    for (const { id } of open) void this.stop(id);
    return open;
  }

  #lines(running: { readonly id: string } | string, { lines, more }: Lines): void {
    const entry = typeof running === "string" ? undefined : this.#entries.get(running.id);
    if (!entry || entry.needsNoNotice) return;
    const { id: task, title, path } = entry;
    this.#ports.tell(entry.owner, linesNotice({ task, title, path, lines, more }));
  }

  #ended(entry: Entry, end: CommandEnd, output: CommandOutput): void {
    const { id: task, title } = entry;
    entry.end = end;
    const { state, exitCode, ending } = end;
    const status = state === "killed" ? "killed" : exitCode === 0 ? "completed" : "failed";
    const told = entry.needsNoNotice ? { told: true as const } : {};
    this.#ports.note({ type: "command-end", actor: entry.owner, task, ending, status, ...told });
    if (entry.needsNoNotice) return;
    this.#ports.onEnded(entry.owner);
    const isScript = entry.script !== undefined;
    this.#ports.tell(entry.owner, endNotice({ task, title, status, ending, isScript, output }));
  }
}

function endOf(
  { outcome, exitCode, signal, reason, flooded, output }: CommandResult,
  at: number,
): CommandEnd {
  if (flooded) {
    const ending = `It had written ${formatSize(output.bytes)}, the most that is kept, and was ended.`;
    return { state: "killed", exitCode, ending, at };
  }
  switch (outcome) {
    case "exited":
      return {
        state: "exited",
        exitCode,
        ending: besides(`It ended with exit code ${exitCode}.`, reason),
        at,
      };
    case "signalled":
      return { state: "killed", exitCode, ending: besides(`It was ended by signal ${signal}.`, reason), at };
    case "cancelled":
    case "timed-out":
      return { state: "killed", exitCode, ending: "It was stopped.", at };
    case "not-started":
    case "unknown":
      return { state: "killed", exitCode, ending: reason ?? "How it ended is not known.", at };
    default:
      return outcome satisfies never;
  }
}

function besides(ending: string, reason: string | undefined): string {
  return reason === undefined ? ending : `${ending} ${reason}`;
}

function refused(reason: string): BackgroundAnswer {
  return { type: "refused", reason };
}
