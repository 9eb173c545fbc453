import type { GitAnswer } from "../git.ts";
import { lastLine } from "../repository.ts";

/** What git has to say for itself, in a few words. */
export function lastLineOf({ code, err }: GitAnswer): string {
  return lastLine(err) || `exit code ${code}`;
}
