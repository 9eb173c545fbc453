import { readFleetKey } from "../../engine/fleet-key.ts";
import { engineRunners } from "../../features/runners/engine-runners.ts";
import type { Runners, RunnersOptions } from "../../features/runners/index.ts";
import { fleetKeyFile, troupeHome } from "../../journal/paths.ts";
import { errorMessage } from "../../lib/errors.ts";
import { UsageError } from "../exit-codes.ts";
import type { CliIO } from "../process-io.ts";

/** Returns the runners of a session. Throws a `UsageError` if their engine has no usable address, or there is no key. */
export async function sessionRunners(options: RunnersOptions, io: CliIO): Promise<Runners> {
  const { engine, key, pool } = options;
  const home = troupeHome(io.env, io.homedir);
  const onLine = (line: string) => void io.stderr.write(`${line}\n`);
  try {
    const runners = engineRunners(
      { ...options, ...(pool === "" ? { pool: "default" } : {}) },
      { env: io.env, home, clock: io.clock, onLine },
    );
    // Before the first agent finds out.
    if (!engine.startsWith("ssh:")) await readFleetKey(key ?? fleetKeyFile(home));
    return runners;
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}
