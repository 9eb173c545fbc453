import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import type { Readable } from "node:stream";
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
  /** Absolute path of a directory with objects that it reads as well. */
  readonly objects?: string;
  /** Author of new commits; Troupe by default. */
  readonly identity?: "person";
  /** Limit of the output; git is ended beyond it, with code -1. */
  readonly mostBytes?: number;
  /** A file whose bytes git reads as its standard input, from this offset. */
  readonly input?: { readonly file: string; readonly from: number };
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

/** Environment variables that steer git and must not be inherited. */
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
  { index, gitDir, objects, identity, mostBytes, input, signal }: GitOptions,
): Promise<GitAnswer> {
  signal?.throwIfAborted();
  const all = {
    ...env,
    ...(identity === "person" ? {} : OURS),
    // Reading must not write, questions have no one to answer them, and output is for programs.
    ...{ GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    // Quoted, because a colon separates them.
    ...(objects === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) }),
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir, GIT_WORK_TREE: folder }),
  };
  const settings = CONFIG.flatMap((one) => ["-c", one]);
  let child: ChildProcess;
  let stdin: number | null = null;
  try {
    stdin = input === undefined ? null : openAt(input);
    child = spawn("git", [...settings, ...args], {
      ...{ cwd: folder, env: all, stdio: [stdin ?? "ignore", "pipe", "pipe"] },
    });
  } catch (error) {
    return { code: -1, out: "", err: errorMessage(error) };
  } finally {
    // Git has its own copy.
    if (stdin !== null) closeSync(stdin);
  }
  // Git removes its locks before it ends.
  const end = () => child.kill();
  signal?.addEventListener("abort", end, { once: true });
  const output = new GitOutput(child, mostBytes, end);
  try {
    const ended = await exitOf(child);
    // A command that was cut off has an exit code, too.
    if (ended !== 0) signal?.throwIfAborted();
    if (output.isTooMuch) return { code: -1, out: "", err: `git said more than ${mostBytes} bytes.` };
    if (ended instanceof Error) return { code: -1, out: "", err: ended.message };
    const said = await output.whole(patienceMs, signal);
    signal?.throwIfAborted();
    if (ended === null) return { code: -1, out: "", err: GIT_KILLED };
    return said === null
      ? { code: -1, out: "", err: "git ended, but a program that it started still holds its output." }
      : { code: ended, out: said.out, err: said.err.trim() };
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/** Returns a descriptor that reads a file from an offset. */
function openAt({ file, from }: NonNullable<GitOptions["input"]>): number {
  const opened = openSync(file, "r");
  // A read without a position moves the descriptor, and git continues there.
  for (let left = from; left > 0; ) {
    const count = readSync(opened, Buffer.alloc(left), 0, left, null);
    if (count === 0) break;
    left -= count;
  }
  return opened;
}

/** Resolves with the exit code, null for a signal, or why it could not start. */
function exitOf(child: ChildProcess): Promise<number | null | Error> {
  return new Promise((resolve) => {
    child.once("error", resolve);
    child.once("exit", resolve);
  });
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

/** Collects the output of a process; `whole` resolves when both streams have ended. */
class GitOutput {
  readonly #out: Buffer[] = [];
  readonly #err: Buffer[] = [];
  readonly #ended: Promise<unknown>;
  readonly #streams: readonly Readable[];
  #bytes = 0;
  #isTooMuch = false;

  /** `onTooMuch`: it has printed more than `mostBytes`. */
  constructor({ stdout, stderr }: ChildProcess, mostBytes: number | undefined, onTooMuch: () => void) {
    // There are no streams if it could not start for want of descriptors.
    this.#streams = [stdout, stderr].filter((stream) => stream !== null && stream !== undefined);
    this.#ended = Promise.all([collected(stdout, this.#out), collected(stderr, this.#err)]);
    stdout?.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (mostBytes === undefined || this.#bytes <= mostBytes || this.#isTooMuch) return;
      this.#isTooMuch = true;
      this.#stop();
      onTooMuch();
    });
  }

  get isTooMuch(): boolean {
    return this.#isTooMuch;
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
    this.#stop();
    return null;
  }

  #stop(): void {
    for (const stream of this.#streams) stream.destroy();
  }
}

async function collected(stream: Readable | null, into: Buffer[]): Promise<void> {
  stream?.on("data", (chunk: Buffer) => into.push(chunk));
  await new Promise<void>((resolve) => {
    stream?.once("end", resolve).once("close", resolve);
  });
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}

/** Returns the object that each of these refs names, without those that do not exist: one start of git for all. */
export async function idsOf(
  run: (args: readonly string[]) => Promise<GitAnswer>,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { out } = await run(["for-each-ref", "--format=%(refname) %(objectname)", ...refs]);
  return new Map(
    out
      .trim()
      .split("\n")
      .map((line): [string, string] => {
        const [ref = "", id = ""] = line.split(" ");
        return [ref, id];
      }),
  );
}
