import { readFleetKey } from "../../engine/fleet-key.ts";
import type { Runners } from "../../features/runners/index.ts";
import { type EngineConnection, openRunners } from "../../features/runners/open-runners.ts";
import { systemClock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { openSsh } from "../../remote/open-ssh.ts";
import type { CliIO } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { troupeVersion } from "../version.ts";
import { fleetKeyPath, openCarrier } from "./fleet.ts";

export interface SessionRunnersOptions {
  readonly engine: string;
  /** The file with the key of the fleet; absent: the usual one. */
  readonly key?: string;
  readonly setup?: string;
  /** Of all agents that name no other; empty is the pool `default`. */
  readonly pool?: string;
}

/** Returns the runners of a session, whose engine is asked with its first agent. Throws a `UsageError` without a key. */
export async function sessionRunners(
  { engine, key, setup, pool }: SessionRunnersOptions,
  io: CliIO,
): Promise<Runners> {
  return openRunners({
    version: troupeVersion(),
    connect: await connection(engine, key ?? fleetKeyPath(io), io),
    ...(setup === undefined ? {} : { setup }),
    ...(pool === undefined ? {} : { pool: pool || "default" }),
  });
}

async function connection(
  engine: string,
  keyFile: string,
  io: CliIO,
): Promise<() => Promise<EngineConnection>> {
  // Its two ends have a key of their own.
  if (engine.startsWith("ssh:"))
    return async () => {
      const onLine = (line: string) => void io.stderr.write(`${line}\n`);
      const { carrier, key } = await openSsh({
        url: engine,
        env: io.env,
        clock: io.clock ?? systemClock,
        onLine,
      });
      return { carrier, fleetKey: key };
    };
  const fleetKey = await readFleetKey(keyFile).catch((error: unknown) => {
    throw new UsageError(errorMessage(error));
  });
  return async () => ({ carrier: await openCarrier(engine, io), fleetKey });
}
