import type { Clock } from "../mailbox/clock.ts";
import { HelperProcess, withCompileCache } from "../processes/helper-process.ts";
import { processGroup } from "../processes/process-group.ts";
import { FromKeeper, type ToKeeper } from "./protocol.ts";

/** In `dist` all bundles lie in one folder; in development the sources run. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./keeper-process.ts" : "./worktree-keeper.js",
  import.meta.url,
);

export type KeeperLife = HelperProcess<FromKeeper, ToKeeper>;

/** One life of the keeper's process. */
export function beginKeeper(
  env: Readonly<Record<string, string>>,
  clock: Clock,
  { hear, onGone }: { hear(message: FromKeeper): void; onGone(how: string): void },
): KeeperLife {
  const life: KeeperLife = new HelperProcess({
    ...{ entry: ENTRY, env: withCompileCache(env), clock, words: FromKeeper, hear },
    onGone(how) {
      // TERM, so that a git that goes on without its keeper takes its lock files with it. Whoever asks again must not
      // find it at work.
      const ended = life.pid === undefined ? Promise.resolve() : processGroup(life.pid, clock).end();
      void ended.then(() => onGone(how));
    },
  });
  return life;
}
