import { isAlive, processIdentity } from "../../src/journal/process-identity.ts";
import { randomIds } from "../../src/mailbox/ids.ts";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import { realDisk } from "../../src/worktrees/merge/disk.ts";
import type { GitRequest, Owner } from "../../src/worktrees/protocol.ts";
import type { TestRepository } from "./git-repository.ts";

/** What operations on trees stand on, in a test: this process holds the locks. */
export function groundOf(
  { env }: Pick<TestRepository, "env">,
  changed: Partial<GitEnvironment> = {},
): GitEnvironment {
  const ids = randomIds();
  return {
    env,
    now: () => Date.now(),
    id: () => ids.session(),
    self: processIdentity(process.pid),
    isAlive,
    disk: realDisk,
    ...changed,
  };
}

export const OWNER: Owner = { session: "session1", actor: "actor1", process: processIdentity(process.pid) };

/** A tree `one` from the checkout, but for what is changed. */
export function creationIn(
  folder: string,
  changed: Partial<GitRequest<"create">> = {},
): GitRequest<"create"> {
  return { folder, name: "one", owner: OWNER, baseRef: "checkout", dependencies: [], ...changed };
}
