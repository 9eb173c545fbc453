import type { Clock } from "../mailbox/clock.ts";
import { type Helper, openHelper, withCompileCache } from "../processes/helper-process.ts";
import { processGroup } from "../processes/process-group.ts";

/** In `dist` all bundles are in one directory; in development the sources run. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./git-worker-main.ts" : "./worktree-keeper.js",
  import.meta.url,
);

/** Starts one process of the git worker. */
export function beginKeeper(
  env: Readonly<Record<string, string>>,
  clock: Clock,
  onGone: (how: string) => void,
): Helper {
  const life = openHelper({
    ...{ entry: ENTRY, env: withCompileCache(env), clock, idle: "released" },
    async onGone(how) {
      // SIGTERM lets an orphaned git remove its lock files. A later request must not find it at work.
      if (life.pid !== undefined) await processGroup(life.pid, clock).end();
      onGone(how);
    },
  });
  return life;
}
