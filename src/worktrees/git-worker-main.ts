import { isAlive, processIdentity } from "../journal/process-identity.ts";
import { randomIds } from "../mailbox/ids.ts";
import { parentChannel } from "../mailbox/rpc/channel.ts";
import { cleanEnvironment } from "../processes/environment.ts";
import { signalGroup } from "../processes/process-group.ts";
import type { GitEnvironment } from "./environment.ts";
import { realDisk } from "./merge/disk.ts";
import { serveOperations } from "./serve.ts";

/**
 * Runs the git worker: one process for all git work of a session.
 *
 * A process and not a thread, because it starts git many times a second, and each start would block a large session for
 * milliseconds; because it can finish or undo its work after the session was killed; and because only here simple-git
 * is loaded.
 */
function serve(): void {
  const ids = randomIds();
  const ground: GitEnvironment = {
    env: cleanEnvironment(process.env),
    now: () => Date.now(),
    id: () => ids.session(),
    self: processIdentity(process.pid),
    isAlive,
    disk: realDisk,
  };
  const server = serveOperations(parentChannel(), ground);

  let leaving = false;
  async function leave(): Promise<void> {
    if (leaving) return;
    leaving = true;
    await server.close();
    // A filter can outlive the git that was cut off under it; this process only receives the signal.
    signalGroup(process.pid, "SIGTERM");
    process.exit(0);
  }

  // The session ended, by close() or by SIGKILL: the channel closes either way.
  process.on("disconnect", () => void leave());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void leave());
  if (!process.connected) void leave();
}

serve();
