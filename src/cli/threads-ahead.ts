/**
 * What `bin/troupe.js` loads first: the threads of a session boot on another core while the rest of the program is
 * loaded and reads its settings.
 */
import { JOURNAL_THREAD } from "../journal/writer-messages.ts";
import { startAhead, type ThreadsAhead } from "../lib/threads.ts";
import { GATEWAY_THREAD } from "../model/gateway-kind.ts";

/** Commands with a name that open a session without further questions. */
export const OPENING: readonly string[] = ["fanout", "run", "start"];

/** Boots the threads if a command line (without node and the script) asks a model, and returns null if it does not. */
export function threadsFor(argv: readonly string[]): ThreadsAhead | null {
  const [first = "-p"] = argv;
  const asks = first.startsWith("-") || OPENING.includes(first);
  if (!asks || argv.some((word) => ["--help", "-h", "--version", "-v"].includes(word))) return null;
  try {
    return startAhead([GATEWAY_THREAD, JOURNAL_THREAD]);
  } catch {
    // No room for a thread: the session reports that.
    return null;
  }
}
