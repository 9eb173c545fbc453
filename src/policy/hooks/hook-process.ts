import { type Clock, within } from "../../lib/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { RunRequest, RunResult } from "../../mailbox/runs.ts";
import type { Hook } from "./parse-hooks.ts";

/** Runs a child process, as the process host does. Never rejects. */
export type RunProcess = (request: RunRequest, signal?: AbortSignal) => Promise<RunResult>;

/** How one hook ended. `why` completes the sentence "The hook …". */
export type HookEnd =
  /** Exit code 0. */
  | { readonly type: "passed"; readonly stdout: string }
  /** Exit code 2: a no, with what it wrote to stderr. */
  | { readonly type: "blocked"; readonly stderr: string }
  /** Another exit code, which is not a no (A22.21). */
  | { readonly type: "complained"; readonly why: string }
  /** It wrote too much and was ended. */
  | { readonly type: "flooded"; readonly stdout: string; readonly why: string }
  /** It was too slow, was killed, or could not be run. */
  | { readonly type: "failed"; readonly kind: "timeout" | "crash" | "start"; readonly why: string }
  | { readonly type: "cancelled" };

export interface HookRun {
  readonly id: string;
  readonly owner: ActorId;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The file that it reads as stdin. */
  readonly event: string;
}

export const MAX_OUTPUT_BYTES = 64 * 1024;
/** The process host ends what is too slow; this much later the host itself hangs. */
const HOST_PATIENCE_MS = 15_000;
/** The exit code of a no, with its reason on stderr (A5.12). */
export const HOOK_BLOCKS_EXIT_CODE = 2;
/** `test` first: a redirection that fails would end some shells with 2, which means no. */
const READING_EVENT = 'test -r "$1" || exit 126; exec /bin/sh -c "$2" < "$1"';
/** The same for a program with arguments. */
const GIVING_EVENT = 'test -r "$1" || exit 126; event=$1; shift; exec "$@" < "$event"';

/** What of a hook its process needs. */
type Program = Pick<Hook, "command" | "timeoutMs" | "args" | "plugin">;

export async function runHook(
  hook: Program,
  run: RunProcess,
  { id, owner, cwd, env, event }: HookRun,
  clock: Clock,
  signal: AbortSignal,
): Promise<HookEnd> {
  const { timeoutMs, plugin } = hook;
  const all = { ...env, ...plugin };
  const filled = (text: string) =>
    text.replace(/\$\{(CLAUDE_\w+)\}/g, (raw, name: string) => all[name] ?? raw);
  const program = hook.args && [filled(hook.command), ...hook.args.map(filled)];
  const args = ["-c", program ? GIVING_EVENT : READING_EVENT, "hook", event, ...(program ?? [hook.command])];
  const request = { id, owner, file: "/bin/sh", args, cwd, env: all, timeoutMs };
  const giveUp = new AbortController();
  const running = run(
    { ...request, maxOutputBytes: MAX_OUTPUT_BYTES },
    AbortSignal.any([signal, giveUp.signal]),
  );
  if (await within(clock, timeoutMs + HOST_PATIENCE_MS, running)) return endOf(hook, await running);
  giveUp.abort();
  return tooSlow(hook);
}

function endOf(hook: Program, result: RunResult): HookEnd {
  const { outcome, exitCode, signal, stdout, stderr, truncated, reason } = result;
  // A no stays a no, however much the hook wrote.
  if (truncated && outcome !== "cancelled" && exitCode !== HOOK_BLOCKS_EXIT_CODE) {
    const why = `wrote more than ${MAX_OUTPUT_BYTES / 1024} KB and was stopped; what came after that is lost`;
    return { type: "flooded", stdout, why };
  }
  switch (outcome) {
    case "exited":
      return exited(exitCode, stdout, stderr);
    case "timed-out":
      return tooSlow(hook);
    case "cancelled":
      return { type: "cancelled" };
    case "signalled":
      return { type: "failed", kind: "crash", why: `was killed (${signal})` };
    case "not-started":
      return { type: "failed", kind: "start", why: `was not run: ${reason ?? "no reason is known"}` };
    case "unknown":
      return { type: "failed", kind: "crash", why: "was lost with the process that ran it" };
    default:
      return outcome satisfies never;
  }
}

function exited(exitCode: number | null, stdout: string, stderr: string): HookEnd {
  switch (exitCode) {
    case 0:
      return { type: "passed", stdout };
    case HOOK_BLOCKS_EXIT_CODE:
      return { type: "blocked", stderr };
    case 126:
    case 127: {
      // The shell reports that the program is missing or not executable.
      const why = `could not be run (exit code ${exitCode}${firstLine(stderr)})`;
      return { type: "failed", kind: "start", why };
    }
    default: {
      const code = exitCode ?? 1;
      const why = `ended with exit code ${code}${firstLine(stderr)}`;
      // A shell reports a signal that ended its child as 128 plus its number.
      return code > 128 ? { type: "failed", kind: "crash", why } : { type: "complained", why };
    }
  }
}

function tooSlow({ timeoutMs }: Program): HookEnd {
  const why = `did not end within ${timeoutMs / 1_000} s and was stopped`;
  return { type: "failed", kind: "timeout", why };
}

function firstLine(stderr: string): string {
  const line = stderr.trim().split("\n", 1)[0] ?? "";
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}
