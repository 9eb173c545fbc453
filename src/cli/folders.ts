import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "./usage-error.ts";

/** The absolute path of a folder that exists; `what` is the flag that named it. */
export async function existingFolder(what: string, given: string, cwd: string): Promise<string> {
  const path = resolve(cwd, given);
  try {
    if ((await stat(path)).isDirectory()) {
      await access(path, constants.R_OK | constants.X_OK);
      return path;
    }
  } catch (error) {
    throw new UsageError(`${what} ${given}: ${problemOf(error)}.`);
  }
  throw new UsageError(`${what} ${given}: this is a file; give the folder it is in.`);
}

function problemOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return "there is no such folder; check the path";
  if (code === "EACCES" || code === "EPERM") return "it may not be read; check its permissions";
  return `it cannot be used (${String(code ?? error)})`;
}
