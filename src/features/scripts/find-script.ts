import { basename, extname, join } from "node:path";
import { readRegularFile } from "../../lib/read-regular-file.ts";
import { MAX_SCRIPT_CHARS } from "../../tools/workflow.ts";

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
  readonly homedir: string;
}

const SUFFIXES = [".ts", ".js", ".mts", ".mjs"];
const MOST_BYTES = 4 * MAX_SCRIPT_CHARS;

/** True for a path; false for the name of a script. */
export function isScriptPath(text: string): boolean {
  return text.includes("/") || SUFFIXES.includes(extname(text));
}

/** Throws a sentence if the project and the user's home have no script of this name. */
export function findScript(name: string, { cwd, homedir }: ScriptPlaces): ScriptSource {
  const folders = [join(cwd, ".claude/workflows"), join(homedir, ".claude/workflows")];
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
  const read = readRegularFile(path, MOST_BYTES);
  if (read.type === "unreadable") throw new Error(`The script ${path} ${read.problem}.`);
  return read.type === "read" ? { name: basename(path), path, source: read.bytes.toString() } : null;
}

/** Returns the script of an earlier run: the file as it is now, if it is still there, because it may have been edited. */
export function scriptAsItIs(before: ScriptSource): ScriptSource {
  const { name, path, source } = before;
  const now = path === null ? null : readRegularFile(path, MOST_BYTES);
  return { name, path, source: now?.type === "read" ? now.bytes.toString() : source };
}
