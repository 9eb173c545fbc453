import { errorCode } from "./errors.ts";

/** True if a process has this pid; it may have been reused. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it belongs to another user.
    return errorCode(error) !== "ESRCH";
  }
}
