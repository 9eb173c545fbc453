import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Seeded } from "../seeded.ts";
import { SHARED } from "./play.ts";

/** What a user did, and what of it must be there at the end. */
export interface UserStory {
  readonly commits: readonly string[];
  /** Files of the user alone, as they were written last. */
  readonly files: ReadonlyMap<string, string>;
  /** Lines that the user appended to the file that all write to. */
  readonly shared: readonly string[];
  /** What is staged, and in no commit. */
  readonly staged: ReadonlyMap<string, string>;
}

export interface BusyUser {
  /** Resolves when the step under way has ended. Throws what a user would have noticed. */
  stop(): Promise<UserStory>;
}

/** So many lines that the shared file stays one that is read as a whole. */
const MOST_SHARED = 10;
const LOCKED = /index\.lock|cannot lock ref|Unable to create .*\.lock/;

/** Somebody who edits, stages and commits in the same checkout, over and over. */
export function busyUser(
  repository: string,
  env: Readonly<Record<string, string>>,
  random: Seeded,
): BusyUser {
  const commits: string[] = [];
  const files = new Map<string, string>();
  const staged = new Map<string, string>();
  const shared: string[] = [];
  const over = new AbortController();
  mkdirSync(join(repository, "user"), { recursive: true });
  const git = (...args: string[]) => gitOf(repository, env, args);

  async function edit(n: number): Promise<string> {
    const file = `user/${random.between(0, 3)}.txt`;
    const text = `${files.get(file) ?? ""}the user's edit ${n}\n`;
    writeFileSync(join(repository, file), text);
    files.set(file, text);
    return file;
  }

  async function stage(n: number): Promise<void> {
    const file = await edit(n);
    await git("add", "--", file);
    staged.set(file, files.get(file) ?? "");
  }

  async function commit(n: number): Promise<void> {
    await stage(n);
    await git("commit", "-q", "-m", `the user's commit ${n}`);
    commits.push(await git("rev-parse", "HEAD"));
    staged.clear();
  }

  /** Into the file that agents write to as well, in one write, and sometimes committed with what they put there. */
  async function share(n: number): Promise<void> {
    if (shared.length === MOST_SHARED) return edit(n).then(() => {});
    const line = `the user's line ${n}`;
    appendFileSync(join(repository, SHARED), `${line}\n`);
    shared.push(line);
    if (random.next() < 0.3) {
      await git("commit", "-q", "-m", `the user's commit ${n}`, "--", SHARED);
      commits.push(await git("rev-parse", "HEAD"));
    }
  }

  async function work(): Promise<void> {
    const tidy = () => git("pack-refs", "--all").then(() => {});
    for (let n = 0; !over.signal.aborted; n += 1) {
      const step = random.pick([edit, stage, commit, share, commit, random.next() < 0.2 ? tidy : edit]);
      await step(n);
      await pause(random.between(50, 900), undefined, { signal: over.signal }).catch(() => {});
    }
  }

  const done = work();
  // It is thrown where somebody waits for it.
  done.catch(() => {});
  return {
    async stop() {
      over.abort();
      await done;
      return { commits, files, shared, staged };
    },
  };
}

const run = promisify(execFile);

/** A user whose git finds a lock tries again, for as long as a user would. */
async function gitOf(
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    try {
      return (await run("git", [...args], { cwd, env })).stdout.trim();
    } catch (error) {
      const said = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
      if (tries === 200 || !LOCKED.test(said)) throw new Error(`the user's git ${args.join(" ")}: ${said}`);
      await pause(50);
    }
  }
}

/** What of a user's work is not there any more. */
export function userFaults(
  repository: string,
  story: UserStory,
  git: (...args: string[]) => string,
): string[] {
  const faults: string[] = [];
  for (const [file, text] of story.files)
    if (readFileSync(join(repository, file), "utf8") !== text)
      faults.push(`${file} is not as the user wrote it`);
  const reachable = new Set(git("rev-list", "HEAD").split("\n"));
  for (const commit of story.commits)
    if (!reachable.has(commit)) faults.push(`the user's commit ${commit} is not in HEAD`);
  const lines = readFileSync(join(repository, SHARED), "utf8").split("\n");
  for (const line of story.shared) {
    const times = lines.filter((one) => one === line).length;
    if (times !== 1) faults.push(`${JSON.stringify(line)} is ${times} times in ${SHARED}`);
  }
  const names = git("diff", "--cached", "--name-only").split("\n").filter(Boolean).sort();
  const due = [...story.staged.keys()].sort();
  if (names.join() !== due.join()) faults.push(`staged is ${names.join(", ")} instead of ${due.join(", ")}`);
  for (const [file, text] of story.staged)
    if (`${git("show", `:${file}`)}\n` !== text) faults.push(`${file} is not staged as the user staged it`);
  return faults;
}
