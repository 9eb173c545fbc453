import { isAlive, processIdentity } from "../journal/process-identity.ts";
import { randomIds } from "../mailbox/ids.ts";
import { parentChannel } from "../mailbox/rpc/channel.ts";
import { cleanEnvironment } from "../processes/environment.ts";
import { signalGroup } from "../processes/process-group.ts";
import type { GitEnvironment } from "./environment.ts";
import { serveOperations } from "./serve.ts";

/**
 * The keeper of trees: one process for all git work of a session.
 *
 * It is a process and no thread because git is started by it, many times a second, and a large session would block for
 * milliseconds at each start; because it can finish, or take back, what it is in the middle of when the session is
 * killed; and because simple-git is loaded only here.
 */
function serve(): void {
  const ids = randomIds();
  const ground: GitEnvironment = {
    env: cleanEnvironment(process.env),
    now: () => Date.now(),
    id: () => ids.session(),
    self: processIdentity(process.pid),
    isAlive,
  };
  const server = serveOperations(parentChannel(), ground);

  let leaving = false;
  async function leave(): Promise<void> {
    if (leaving) return;
    leaving = true;
    await server.close();
    // A filter can outlive the git that was cut off under it; this process only hears it.
    signalGroup(process.pid, "SIGTERM");
    process.exit(0);
  }

  // The session is gone, by close() or by SIGKILL: the channel says so either way.
  process.on("disconnect", () => void leave());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void leave());
  if (!process.connected) void leave();
}

serve();
