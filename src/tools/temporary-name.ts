import { randomUUID } from "node:crypto";
import { readdirSync, realpathSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import type { CallId } from "../mailbox/ids.ts";

/** The name of the file that a call writes before it renames it over the one it is about. */
export function temporaryName(call: CallId): string {
  return `${beginningFor(call)}${randomUUID()}.tmp`;
}

function beginningFor(call: CallId): string {
  return `.troupe-${call}-`;
}

/** Removes what a call left beside this file if it was killed while it wrote. Throws what the system says. */
export function removeTemporaryFiles(path: string, call: CallId): void {
  for (const directory of new Set([dirname(path), dirname(really(path))]))
    for (const name of namesIn(directory))
      if (name.startsWith(beginningFor(call)) && name.endsWith(".tmp")) unlinkSync(join(directory, name));
}

/** A link leads to where the file itself is, which is where it is replaced. */
function really(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(dirname(path), basename(path));
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
