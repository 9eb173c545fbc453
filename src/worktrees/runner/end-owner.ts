import { setTimeout as pause } from "node:timers/promises";
import { type ProcessIdentity, processIdentity } from "../../journal/process-identity.ts";
import { systemClock } from "../../lib/clock.ts";
import { processGroup } from "../../processes/process-group.ts";
import { refuseRequest } from "../refusal.ts";

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 10;

/**
 * Kills the process group that worked in a worktree, and resolves when no member of it runs: it would write into the next
 * one. The ID of a group is no other process's while a member lives, so a process with this pid and another start means
 * that the group is gone.
 */
export async function endOwner(path: string, owner: ProcessIdentity | null): Promise<void> {
  if (owner === null) return;
  const now = processIdentity(owner.pid);
  if (now.startedAt !== null && owner.startedAt !== null && now.startedAt !== owner.startedAt) return;
  const group = processGroup(owner.pid, systemClock);
  for (let waited = 0; group.running().length > 0; waited += LOOK_EVERY_MS) {
    if (waited >= PATIENCE_MS)
      refuseRequest(
        `The worktree ${path} cannot be used: processes of an earlier attempt (group ${owner.pid}) do not end.`,
      );
    group.kill();
    await pause(LOOK_EVERY_MS);
  }
}
