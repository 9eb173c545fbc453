import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Ground } from "./ground.ts";
import { ourFolder } from "./layout.ts";

/** Index files of one moment, named by who made them. */
const OF_A_MOMENT = /^(?:checkout|merge)-(\d+)-\w+(?:\.lock)?$/;

/** Those of keepers that died while they used them. Only for the holder of the repository's lock. */
export function dropDeadIndexes(common: string, ground: Ground): void {
  for (const name of readdirSync(ourFolder(common))) {
    const pid = Number(OF_A_MOMENT.exec(name)?.[1] ?? 0);
    if (pid > 0 && !ground.isAlive({ pid, startedAt: null }))
      rmSync(join(ourFolder(common), name), { force: true });
  }
}
