import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorMessage } from "../lib/errors.ts";
import { quoted, UsageError } from "./usage-error.ts";

const MOST_CHARS = 1_048_576;

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
