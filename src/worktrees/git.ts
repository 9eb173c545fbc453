import { simpleGit } from "simple-git";
import { errorMessage } from "../lib/errors.ts";
import { GitOutput } from "./git-output.ts";

/** What one git command came to. Bytes that are no UTF-8 are U+FFFD: who acts on paths refuses those (`oddPath`). */
export interface GitAnswer {
  /** 0 is well; 1 often an answer; 128 a refusal; -1 where it could not be started, or was killed. */
  readonly code: number;
  readonly out: string;
  /** Without the blank lines around it. */
  readonly err: string;
}

/** What an answer says instead of git that a signal ended. */
export const GIT_KILLED = "git was killed.";

export interface GitOptions {
  /** Another index file than the checkout's own, absolute. */
  readonly index?: string;
  /** Of the work tree that the command is run at the top of, absolute: its own `.git` is not asked then. */
  readonly gitDir?: string;
  /** Of commits that are made; ours where absent. */
  readonly identity?: "person";
  /** Of the output; git is ended when there is more, and the code is -1. */
  readonly mostBytes?: number;
  /** Rejects with the signal's reason when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface Git {
  /** Where its commands run. */
  readonly folder: string;
  /** Never rejects for what git says, only when aborted. */
  run(args: readonly string[], options?: GitOptions): Promise<GitAnswer>;
  /** The same git in another folder. */
  at(folder: string): Git;
}

/**
 * None of what a repository could have git run without being asked, none of what writes without being asked, and paths
 * as they are. Filters and merge drivers do run: folders whose settings nobody agreed to have no trees.
 */
const CONFIG = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.quotePath=false",
  "core.untrackedCache=keep",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.addEmbeddedRepo=false",
  "core.safecrlf=false",
  "color.ui=false",
];

/** Commits of ours must not need, nor pass for, somebody's. */
const OURS = {
  GIT_AUTHOR_NAME: "Troupe",
  GIT_AUTHOR_EMAIL: "troupe@localhost",
  GIT_COMMITTER_NAME: "Troupe",
  GIT_COMMITTER_EMAIL: "troupe@localhost",
};

/** What steers git besides its arguments, and is not ours to pass on. */
const STEERS_GIT = /^GIT_(?!(AUTHOR|COMMITTER)_(NAME|EMAIL)$|SSL_)/;

/**
 * What git started itself (a filter that goes on as a daemon) may hold its output open. It is waited for this long once
 * git has ended.
 */
const PATIENCE_MS = 30_000;

export function gitIn(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  patienceMs = PATIENCE_MS,
): Git {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !STEERS_GIT.test(name)) clean[name] = value;
  return {
    folder,
    run: (args, options = {}) => run({ folder, env: clean, patienceMs }, args, options),
    at: (other) => gitIn(other, clean, patienceMs),
  };
}

interface Where {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly patienceMs: number;
}

async function run(
  { folder, env, patienceMs }: Where,
  args: readonly string[],
  { index, gitDir, identity, mostBytes, signal }: GitOptions,
): Promise<GitAnswer> {
  signal?.throwIfAborted();
  const over = mostBytes === undefined ? null : new AbortController();
  const abort = over === null ? signal : AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  let bytes = 0;
  let code: number | null = -1;
  const all = {
    ...env,
    ...(identity === "person" ? {} : OURS),
    // Reading must not write, questions have nobody to answer them, and words are for programs.
    ...{ GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir, GIT_WORK_TREE: folder }),
  };
  let output: GitOutput | null = null;
  const made = () =>
    simpleGit({
      baseDir: folder,
      config: CONFIG,
      // What is in it is ours by now: all that steers git was taken out.
      allowEnvironment: Object.keys(all),
      // Filters only to be switched off.
      unsafe: { allowUnsafeFsMonitor: true, allowUnsafeHooksPath: true, allowUnsafeFilter: true },
      ...(abort ? { abort } : {}),
      // When it has ended. What it said is collected by us: simple-git goes on 50 ms later with what has come by then,
      // and a busy machine reads the rest of a list after that.
      completion: { onClose: true, onExit: true },
      errors(error, result) {
        code = result.exitCode;
        // It ran: what it says is an answer.
        return code === null || (code >= 0 && code < 256) ? undefined : error;
      },
    })
      .env(all)
      .outputHandler((_, stdout, stderr) => {
        output = new GitOutput(stdout, stderr, (count) => {
          bytes += count;
          if (mostBytes !== undefined && bytes > mostBytes) over?.abort();
        });
        // It waits 50 ms more for the words of a command that has none; so each says nothing at its beginning.
        process.nextTick(() => stdout.emit("data", Buffer.alloc(0)));
      });
  try {
    await made().raw([...args]);
    // One that was cut off has an exit code, too.
    if (code !== 0) signal?.throwIfAborted();
    if (over?.signal.aborted) return tooMuch(mostBytes);
    const said = await wholeOf(output, patienceMs, signal);
    signal?.throwIfAborted();
    if (code === null) return { code: -1, out: "", err: GIT_KILLED };
    return said === null
      ? { code: -1, out: "", err: "git ended, but a program that it started still holds its output." }
      : { code, out: said.out, err: said.err.trim() };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (over?.signal.aborted) return tooMuch(mostBytes);
    return { code: -1, out: "", err: errorMessage(error) };
  }
}

function tooMuch(mostBytes = 0): GitAnswer {
  return { code: -1, out: "", err: `git said more than ${mostBytes} bytes.` };
}

/** Where there is none, it was never started, which simple-git rejects. */
async function wholeOf(output: GitOutput | null, patienceMs: number, signal: AbortSignal | undefined) {
  return output === null ? null : output.whole(patienceMs, signal);
}

/** The parts of an answer to `-z`. */
export function parts(out: string): string[] {
  return out.split("\0").filter((part) => part !== "");
}

/** Whether a path came back other than it is: its name is no UTF-8, so it cannot be named. */
export function oddPath(path: string): boolean {
  return path.includes("\uFFFD");
}
