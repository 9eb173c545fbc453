import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";

/** Node cannot remove a directory that its user may not list, such as the one that masks hidden directories. */
export function removeAll(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    execFileSync("rm", ["-rf", path]);
  }
}
