import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import { abortable, systemClock, within } from "../lib/clock.ts";
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
  readonly signal?: AbortSignal | undefined;
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
  { index, gitDir, objects, identity, mostBytes = Number.POSITIVE_INFINITY, input, signal }: GitOptions,
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
    return failed(errorMessage(error));
  } finally {
    // Git has its own copy.
    if (stdin !== null) closeSync(stdin);
  }
  // Git removes its locks before it ends.
  const end = () => child.kill();
  signal?.addEventListener("abort", end, { once: true });
  const closed = new Promise<unknown>((resolve) => child.once("close", resolve));
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  let bytes = 0;
  // There are no streams if it could not start for want of descriptors.
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdout?.on("data", (chunk: Buffer) => {
    out.push(chunk);
    bytes += chunk.length;
    if (bytes <= mostBytes) return;
    child.stdout?.destroy();
    end();
  });
  try {
    const ended = await exitOf(child);
    // A command that was cut off has an exit code, too.
    if (ended !== 0) signal?.throwIfAborted();
    if (ended instanceof Error) return failed(ended.message);
    const rest = signal ? abortable(closed, signal) : closed;
    const isWhole = bytes <= mostBytes && (await within(systemClock, patienceMs, rest));
    signal?.throwIfAborted();
    if (bytes > mostBytes) return failed(`git said more than ${mostBytes} bytes.`);
    if (ended === null) return failed(GIT_KILLED);
    return isWhole
      ? { code: ended, out: textOf(out), err: textOf(err).trim() }
      : failed("git ended, but a program that it started still holds its output.");
  } finally {
    signal?.removeEventListener("abort", end);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

function failed(err: string): GitAnswer {
  return { code: -1, out: "", err };
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

/** Returns the ID of the empty tree, which git knows without having it. `like`: an ID of the same repository. */
export function emptyTree(like: string): string {
  return like.length === 40
    ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    : "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
}
