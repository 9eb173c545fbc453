import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { readRegularFile } from "../../lib/read-regular-file.ts";
import { replaceFile } from "../../lib/replace-file.ts";
import { MAX_SCRIPT_CHARS } from "../../tools/workflow.ts";

const ScriptRun = z.object({
  /** The file, if it came from one. */
  path: z.nullable(z.string()),
  name: z.string(),
  source: z.string(),
  args: z.unknown(),
  startedAt: z.number(),
  seed: z.number(),
  /** Calls that had to run again, by label or name, and how often. */
  forced: z.record(z.string(), z.number()),
});

/** What a session that runs a script keeps of it next to its journal, to run it again. */
export type ScriptRun = z.infer<typeof ScriptRun>;

const MOST_BYTES = 8 * MAX_SCRIPT_CHARS;

/** Where a session keeps one of several runs. */
export function runFolder(session: string, run: string): string {
  return join(session, "scripts", run);
}

/** The IDs of the runs that a session keeps. */
export function keptRuns(session: string): readonly string[] {
  try {
    return readdirSync(join(session, "scripts")).toSorted();
  } catch {
    return [];
  }
}

const fileIn = (folder: string) => join(folder, "script.json");

/** True if the session runs a script: then `troupe run --resume` continues it. */
export function hasScriptRun(folder: string): boolean {
  return existsSync(fileIn(folder));
}

/** Returns null if the session has run no script. Throws a sentence if what it kept cannot be read. */
export function readScriptRun(folder: string): ScriptRun | null {
  const path = fileIn(folder);
  const file = readRegularFile(path, MOST_BYTES);
  if (file.type === "absent") return null;
  if (file.type === "unreadable") throw new Error(`${path} ${file.problem}.`);
  try {
    return ScriptRun.parse(JSON.parse(file.bytes.toString()));
  } catch {
    throw new Error(
      `${path} is not what a script's run keeps; name the script again: troupe run FILE --resume ID.`,
    );
  }
}

/** Rejects with a sentence if it cannot be kept: then nothing may run. */
export async function keepScriptRun(folder: string, run: ScriptRun): Promise<void> {
  const problem = await replaceFile(fileIn(folder), `${JSON.stringify(run)}\n`, 0o600);
  if (problem !== null) throw new Error(problem);
}
