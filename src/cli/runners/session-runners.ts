import { join } from "node:path";
import { readFleetKey } from "../../engine/fleet-key.ts";
import { openEngine } from "../../engine/open-engine.ts";
import type { Runners } from "../../features/runners/index.ts";
import { openRunners } from "../../features/runners/open-runners.ts";
import { errorMessage } from "../../lib/errors.ts";
import { UsageError } from "../usage-error.ts";
import { troupeVersion } from "../version.ts";

export interface SessionRunnersOptions {
  readonly engine: string;
  /** Troupe's directory. */
  readonly home: string;
  /** The file with the key of the fleet; absent: the usual one. */
  readonly key?: string;
  readonly setup?: string;
  /** Of all agents that name no other; empty is the pool `default`. */
  readonly pool?: string;
}

/** Returns the runners of a session; the engine is asked with its first agent. Throws a `UsageError` without a key. */
export async function sessionRunners({
  engine,
  home,
  key,
  setup,
  pool,
}: SessionRunnersOptions): Promise<Runners> {
  const fleetKey = await readFleetKey(key ?? join(home, "fleet.key")).catch((error: unknown) => {
    throw new UsageError(errorMessage(error));
  });
  return openRunners({
    ...{ fleetKey, version: troupeVersion(), openCarrier: () => openEngine(engine) },
    ...(setup === undefined ? {} : { setup }),
    ...(pool === undefined ? {} : { pool: pool || "default" }),
  });
}
