import { watchSession } from "../../src/features/live/watch-session.ts";
import { systemClock } from "../../src/mailbox/clock.ts";
import { answer, given } from "../own-process.ts";

/** Looks at a session for so many milliseconds, as `troupe top` does. */
export interface LiveViewerTask {
  readonly path: string;
  readonly ms: number;
}

export interface LiveViewerRun {
  /** Times it was shown something. */
  readonly looks: number;
  readonly agents: number;
}

const { path, ms } = given<LiveViewerTask>();
let looks = 0;
let agents = 0;
const leave = watchSession(path, systemClock, (news) => {
  if (news.type === "over") throw new Error(`The session was ${news.how}.`);
  if (news.type !== "look") return;
  looks += 1;
  agents = news.agents.length;
});
systemClock.after(ms, () => {
  leave();
  void answer({ looks, agents } satisfies LiveViewerRun).then(() => process.exit());
});
