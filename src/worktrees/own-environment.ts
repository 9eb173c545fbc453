import { isAlive, processIdentity } from "../journal/process-identity.ts";
import { randomIds } from "../mailbox/ids.ts";
import { cleanEnvironment } from "../processes/environment.ts";
import type { GitEnvironment } from "./environment.ts";
import { realDisk } from "./merge/disk.ts";
import { SharedLooks } from "./shared-looks.ts";

/** Returns the surroundings of git for this process, which holds the locks. */
export function ownEnvironment(env: Readonly<Record<string, string | undefined>>): GitEnvironment {
  const ids = randomIds();
  return {
    env: cleanEnvironment(env),
    now: () => Date.now(),
    id: () => ids.session(),
    self: processIdentity(process.pid),
    isAlive,
    turns: new Map(),
    looks: { repositories: new SharedLooks(), bases: new SharedLooks() },
    disk: realDisk,
  };
}
