import { existsSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import * as z from "zod/mini";
import { readRegularFile, replaceFile } from "../../lib/files.ts";
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

/** A script to run. */
export interface ScriptSource {
  /** For errors and lists: the file's name. */
  readonly name: string;
  /** Null if it is not in a file. */
  readonly path: string | null;
  readonly source: string;
}

/** Where scripts with a name are. */
export interface ScriptPlaces {
  readonly cwd: string;
  readonly claudeDir: string;
}

const SUFFIXES = [".ts", ".js", ".mts", ".mjs"];
const MOST_SCRIPT_BYTES = 4 * MAX_SCRIPT_CHARS;

/** True for a path; false for the name of a script. */
export function isScriptPath(text: string): boolean {
  return text.includes("/") || SUFFIXES.includes(extname(text));
}

/** Throws a sentence if the project and the user's home have no script of this name. */
export function findScript(name: string, { cwd, claudeDir }: ScriptPlaces): ScriptSource {
  const folders = [join(cwd, ".claude/workflows"), join(claudeDir, "workflows")];
  const paths = isScriptPath(name)
    ? []
    : folders.flatMap((folder) => SUFFIXES.map((suffix) => join(folder, `${name}${suffix}`)));
  for (const path of paths) {
    const script = readFile(path);
    if (script !== null) return script;
  }
  throw new Error(`There is no script ${name}.ts or ${name}.js in ${folders.join(" or ")}.`);
}

/** Throws a sentence if there is no such file. */
export function readScript(path: string): ScriptSource {
  const script = readFile(path);
  if (script === null) throw new Error(`There is no script ${path}.`);
  return script;
}

function readFile(path: string): ScriptSource | null {
  const read = readRegularFile(path, MOST_SCRIPT_BYTES);
  if (read.type === "unreadable") throw new Error(`The script ${path} ${read.problem}.`);
  return read.type === "read" ? { name: basename(path), path, source: read.bytes.toString() } : null;
}

/** Returns the script of an earlier run: the file as it is now, if it is still there, because it may have been edited. */
export function scriptAsItIs(before: ScriptSource): ScriptSource {
  const { name, path, source } = before;
  const now = path === null ? null : readRegularFile(path, MOST_SCRIPT_BYTES);
  return { name, path, source: now?.type === "read" ? now.bytes.toString() : source };
}
