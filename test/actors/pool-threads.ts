import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ThreadCall } from "../../src/actors/thread-calls.ts";
import { ThreadPool, type ThreadPoolOptions, type ToolThread } from "../../src/actors/tool-threads.ts";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { bundledThread } from "../support/bundled-entries.ts";
import { temporaryFolder } from "../support/temporary.ts";

export const MISBEHAVING = new URL(await bundledThread(new URL("./misbehaving-worker.ts", import.meta.url)));
export const NEVER = new AbortController().signal;

/** A pool of real threads, closed when the test has ended. */
export function poolOf(options: Partial<ThreadPoolOptions> = {}): ThreadPool {
  const pool = new ThreadPool({ entry: MISBEHAVING, usualThreads: 2, onFault: () => {}, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

export async function taken(pool: ThreadPool): Promise<ToolThread> {
  const thread = await pool.take(NEVER);
  if (thread === null) throw new Error("There was no thread.");
  return thread;
}

/** A call of Read; what it is told to do is its path. */
export function readCall(file_path: string): ThreadCall {
  return {
    ...{ tool: "Read", input: { file_path }, reads: [] },
    context: {
      ...{ call: callId(MAIN, 1, 0), actor: MAIN, cwd: "/", root: "/", additionalDirs: [], lastWriters: [] },
    },
  };
}

/** What a thread reads from a file that is there. */
export async function readIn(thread: ToolThread): Promise<unknown> {
  const file = join(temporaryFolder(), "a.txt");
  writeFileSync(file, "alpha\n");
  const result = await thread.requests.call("call", readCall(file));
  return result.ok ? result.value.end.content : result;
}
