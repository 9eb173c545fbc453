import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "./errors.ts";

/** Removes a directory of Troupe's own, also what a program has made read-only in it: only root may remove that as it is. */
export function removeDirectory(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (errorCode(error) !== "EACCES" && errorCode(error) !== "EPERM") throw error;
    makeWritable(path);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
}
