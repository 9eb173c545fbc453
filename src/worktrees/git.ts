import { Readable } from "node:stream";
import { simpleGit } from "simple-git";
import { errorMessage } from "../lib/errors.ts";

/**
 * The result of one git command. Invalid UTF-8 becomes U+FFFD; callers that act on paths refuse such paths (`oddPath`).
 */
export interface GitAnswer {
  /** 0 is success, 1 often an answer, 128 a refusal, -1 if git could not start or was killed. */
  readonly code: number;
  readonly out: string;
  /** Trimmed of blank lines. */
  readonly err: string;
}

/** The error text of a git that a signal ended. */
export const GIT_KILLED = "git was killed.";

export interface GitOptions {
  /** Absolute path of an index file other than the checkout's own. */
  readonly index?: string;
  /** Absolute git directory of the worktree whose top the command runs in; its own `.git` is not read then. */
  readonly gitDir?: string;
  /** Author of new commits; Troupe by default. */
  readonly identity?: "person";
  /** Limit of the output; git is ended beyond it, with code -1. */
  readonly mostBytes?: number;
  /** When aborted, the call rejects with its reason. */
  readonly signal?: AbortSignal;
}

export interface Git {
  /** The directory where its commands run. */
  readonly folder: string;
  /** Never rejects for a failure of git, only on abort. */
  run(args: readonly string[], options?: GitOptions): Promise<GitAnswer>;
  /** Returns the same git in another directory. */
  at(folder: string): Git;
}

/**
 * Disables what a repository can make git run or write unasked, and unquotes paths. Filters and merge drivers do run:
 * an untrusted directory has no worktrees.
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

/** Troupe's commits must not need, or pass for, the user's identity. */
const OURS = {
  GIT_AUTHOR_NAME: "Troupe",
  GIT_AUTHOR_EMAIL: "troupe@localhost",
  GIT_COMMITTER_NAME: "Troupe",
  GIT_COMMITTER_EMAIL: "troupe@localhost",
};

/** Environment variables that steer git and must not be inherited. simple-git refuses to run with some of them. */
const STEERS_GIT =
  /^(GIT_(?!(AUTHOR|COMMITTER)_(NAME|EMAIL)$|SSL_|CONFIG_NOSYSTEM$)|(EDITOR|VISUAL|PAGER|PREFIX|SSH_ASKPASS|SSH_AUTH_SOCK)$)/i;

/** What git started (a filter that became a daemon) may hold its output open. Wait this long after git has ended. */
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
    // Reading must not write, questions have no one to answer them, and output is for programs.
    ...{ GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir, GIT_WORK_TREE: folder }),
  };
  let output: GitOutput | null = null;
  const made = () =>
    simpleGit({
      baseDir: folder,
      config: CONFIG,
      // The environment is safe by now: all that steers git was removed.
      allowEnvironment: Object.keys(all),
      // Only used to switch filters off.
      unsafe: { allowUnsafeFsMonitor: true, allowUnsafeHooksPath: true, allowUnsafeFilter: true },
      ...(abort ? { abort } : {}),
      // Resolve when git has ended. The output is collected here: simple-git continues after 50 ms with what it has by
      // then, and a busy machine reads the rest of a list after that.
      completion: { onClose: true, onExit: true },
      errors(error, result) {
        code = result.exitCode;
        // It ran: the output is an answer.
        return code === null || (code >= 0 && code < 256) ? undefined : error;
      },
    })
      .env(all)
      .outputHandler((_, stdout, stderr) => {
        output = new GitOutput(stdout, stderr, (count) => {
          bytes += count;
          if (mostBytes !== undefined && bytes > mostBytes) over?.abort();
        });
        // simple-git waits 50 ms more for output if there was none, so an empty chunk is emitted first.
        process.nextTick(() => stdout.emit("data", Buffer.alloc(0)));
      });
  try {
    await made().raw([...args]);
    // A command that was cut off has an exit code, too.
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

/** Without output it was never started, which simple-git rejects. */
async function wholeOf(output: GitOutput | null, patienceMs: number, signal: AbortSignal | undefined) {
  return output === null ? null : output.whole(patienceMs, signal);
}

/** Splits the output of a `-z` command. */
export function parts(out: string): string[] {
  return out.split("\0").filter((part) => part !== "");
}

/** True if git cannot return the path unchanged: its name is not valid UTF-8. */
export function oddPath(path: string): boolean {
  return path.includes("\uFFFD");
}

/** What a process printed to both of its streams. */
interface Output {
  readonly out: string;
  readonly err: string;
}

type Stream = NodeJS.ReadableStream;

/** Collects the output of a process; `whole` resolves when both streams have ended. */
class GitOutput {
  readonly #out: Buffer[] = [];
  readonly #err: Buffer[] = [];
  readonly #ended: Promise<unknown>;
  readonly #streams: readonly Stream[];

  /** `onBytes` receives the number of new bytes on `stdout`. */
  constructor(stdout: Stream, stderr: Stream, onBytes: (count: number) => void = () => {}) {
    this.#streams = [stdout, stderr];
    stdout.on("data", (chunk: Buffer) => onBytes(chunk.length));
    this.#ended = Promise.all([collected(stdout, this.#out), collected(stderr, this.#err)]);
  }

  /**
   * Resolves to null if a process still holds the streams open after `patienceMs`, or on abort; then stops listening.
   */
  async whole(patienceMs: number, signal: AbortSignal | undefined): Promise<Output | null> {
    const { promise: given, resolve: giveUp } = Promise.withResolvers<false>();
    const stop = () => giveUp(false);
    const timer = setTimeout(stop, patienceMs);
    signal?.addEventListener("abort", stop, { once: true });
    const isWhole = await Promise.race([this.#ended.then(() => true), given]);
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    if (isWhole) return { out: textOf(this.#out), err: textOf(this.#err) };
    for (const stream of this.#streams) if (stream instanceof Readable) stream.destroy();
    return null;
  }
}

function collected(stream: Stream, into: Buffer[]): Promise<void> {
  stream.on("data", (chunk: Buffer) => into.push(chunk));
  return new Promise((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}
