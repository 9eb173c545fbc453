import { span } from "../../lib/figures.ts";
import type { Account } from "./account.ts";

/** When an agent must have ended. */
export interface Deadline {
  /** Milliseconds from now; negative if it has passed. */
  readonly ms: number;
  /** For the summary. */
  readonly reason: string;
}

/** Returns the nearest of its own deadline and those above it that are started and not over; null for no deadline. */
export function deadlineOf(account: Account, now: number): Deadline | null {
  let nearest: Deadline | null = null;
  for (let one: Account | null = account; one !== null; one = one.parent) {
    if (one.ms === null || one.startedAt === null || one.closed) continue;
    const ms = one.startedAt + one.ms - now;
    if (nearest === null || ms < nearest.ms) nearest = { ms, reason: reasonOf(account, one, one.ms) };
  }
  return nearest;
}

function reasonOf(account: Account, owner: Account, ms: number): string {
  if (owner === account) return `It did not end within its ${span(ms)}.`;
  const whose = owner.id === null ? "this session" : "the agent that it works for";
  return `It did not end within the ${span(ms)} of ${whose}.`;
}
