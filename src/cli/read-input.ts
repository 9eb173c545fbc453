import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorMessage } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { quoted, UsageError } from "./exit-codes.ts";
import type { CliIO } from "./process-io.ts";

/** A longer prompt is a mistake, such as a disk image piped in. */
const MAX_BYTES = 10_000_000;

/**
 * Reads standard input to its end. With `silentAfterMs` it returns null if not one byte has come by then, as from a pipe
 * that was left open; what has started to come is read to its end, however long that takes.
 */
export function readStdin({ stdin, clock }: CliIO, silentAfterMs?: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const cancel = silentAfterMs === undefined ? () => {} : clock.after(silentAfterMs, () => end(null));
    const stop = (): void => {
      cancel();
      stdin.off("data", onData).off("end", onEnd);
      // An open pipe that is not read would keep the process alive.
      stdin.destroy();
    };
    const end = (text: string | null): void => {
      stop();
      resolve(text);
    };
    const fail = (message: string): void => {
      stop();
      reject(new UsageError(message));
    };
    const onData = (chunk: Buffer | string): void => {
      cancel();
      const buffer = Buffer.from(chunk);
      chunks.push(buffer);
      bytes += buffer.length;
      if (bytes > MAX_BYTES)
        fail("More than 10 MB came on stdin; put it in a file and name the file in the prompt.");
    };
    const onEnd = () =>
      end(
        Buffer.concat(chunks)
          .toString("utf8")
          .replace(/^\ufeff/, ""),
      );
    stdin
      .on("data", onData)
      .once("end", onEnd)
      .on("error", (error: Error & { code?: string }) =>
        fail(`stdin cannot be read (${error.code ?? error.message}); give the prompt as an argument.`),
      );
  });
}

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
