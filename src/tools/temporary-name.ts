import { randomUUID } from "node:crypto";
import { readdirSync, realpathSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import type { CallId } from "../mailbox/ids.ts";

/** Returns the name of the file that a call writes before it renames it. */
export function temporaryName(call: CallId): string {
  return `${prefixOf(call)}${randomUUID()}.tmp`;
}

function prefixOf(call: CallId): string {
  return `.troupe-${call}-`;
}

/** Removes what a call left next to this file if it was killed while it wrote. Throws the error of the system. */
export function removeTemporaryFiles(path: string, call: CallId): void {
  for (const directory of new Set([dirname(path), dirname(really(path))]))
    for (const name of namesIn(directory))
      if (name.startsWith(prefixOf(call)) && name.endsWith(".tmp")) unlinkSync(join(directory, name));
}

/** The file is replaced where it really is. */
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
