import type { LiveLook } from "../../features/live/news.ts";
import type { LiveAgent, LiveHello } from "../../features/live/protocol.ts";
import type { Clock } from "../../mailbox/clock.ts";
import { noReceipts } from "../../mailbox/turns.ts";
import type { AgentView } from "../../supervisor/view.ts";

/** What is known of a session that is looked at. */
export interface Watched {
  readonly hello: LiveHello;
  readonly look: LiveLook;
  /** When it was told, of our own monotonic clock. */
  readonly heardAt: number;
}

/** The session's own time, which goes on while it says nothing. */
export function sessionNow({ look, heardAt }: Watched, clock: Clock): number {
  return look.now + (clock.now() - heardAt);
}

/** As the session itself shows it; what it found out is not told. */
export function viewOf({ status, reason, ...agent }: LiveAgent): AgentView {
  if (status === null) return { ...agent, summary: null };
  const { turns, usage } = agent;
  const summary = { status, text: "", turns, usage, receipts: noReceipts };
  return { ...agent, summary: reason === null ? summary : { ...summary, reason } };
}
