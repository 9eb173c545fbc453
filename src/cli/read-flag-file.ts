import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorMessage } from "../lib/errors.ts";
import { isObject } from "../lib/objects.ts";
import { quoted, UsageError } from "./usage-error.ts";

const MOST_CHARS = 1_048_576;

/** Reads the object that a flag gives: JSON, or a file with it. `wanted` completes the error if it is not one. */
export async function readFlagObject(
  flag: string,
  given: string,
  cwd: string,
  wanted: string,
): Promise<Readonly<Record<string, unknown>>> {
  const isJson = /^\s*[{[]/.test(given);
  const problem = "is neither JSON nor a file that can be read";
  const text = isJson ? given : await readFlagFile(flag, given, cwd, problem);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new UsageError(`${flag}: ${quoted(given)} is not valid JSON: ${errorMessage(error)}`);
  }
  throw new UsageError(`${flag}: give ${wanted}.`);
}

/** Reads the text file that a flag names. `problem` completes the error if it cannot be read. */
export async function readFlagFile(
  flag: string,
  given: string,
  cwd: string,
  problem = "cannot be read",
): Promise<string> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, given), { encoding: "utf8", signal: AbortSignal.timeout(5_000) });
  } catch (error) {
    throw new UsageError(`${flag}: ${quoted(given)} ${problem}: ${errorMessage(error)}`);
  }
  if (text.length > MOST_CHARS) throw new UsageError(`${flag}: ${quoted(given)} is larger than 1 MB.`);
  // Editors on Windows put a mark before the text.
  return text.replace(/^\uFEFF/, "");
}
