/** An actor of one's own: `node examples/rate-limiter.ts`. Callers in several places share one allowance. */
import { Session } from "troupe";
import { limiter } from "./rate-limiter-actor.ts";

await using session = new Session({ cwd: process.cwd(), model: { provider: "offline" } });
const actor = await session.actors.start(limiter, { state: { tokens: 3, perSecond: 50 } });
const started = performance.now();
await Promise.all(
  ["a", "b", "c", "d", "e"].map(async (who) => {
    // Each call waits in its caller, not in the actor, which must stay free for the others.
    for (;;) {
      const { waitMs } = await actor.ask("take", { now: performance.now() - started });
      if (waitMs === 0) return console.log(`${who} may go`);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }),
);
