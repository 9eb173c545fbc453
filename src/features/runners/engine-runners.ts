import { resolve } from "node:path";
import { parseEngineUrl } from "../../engine/engine-url.ts";
import { readFleetKey } from "../../engine/fleet-key.ts";
import { fleetKeyFile } from "../../journal/paths.ts";
import { sweepTemporaryFolders } from "../../journal/temporary-folder.ts";
import type { Clock } from "../../lib/clock.ts";
import { troupeVersion } from "../../lib/version.ts";
import { isPoolName, POOL_NAME } from "../../mailbox/ids.ts";
import type { EngineConnection } from "../../remote/engine-line.ts";
import { RemoteHost } from "../../remote/remote-host.ts";
import { isRemoteAddress, REMOTE_ADDRESS } from "../../settings/runners-settings.ts";
import type { Runners, RunnersOptions } from "./index.ts";

export interface EngineParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Troupe's directory. */
  readonly home: string;
  readonly clock: Clock;
  /** Receives what a runner that is started through ssh says of itself. */
  onLine(line: string): void;
}

/** Returns the runners behind an engine, which is connected to with the first agent that needs it. Throws if its address cannot be used. */
export function engineRunners({ engine, key, ...rest }: RunnersOptions, parts: EngineParts): Runners {
  const { pool, remote } = rest;
  const isSsh = engine.startsWith("ssh:");
  if (!isSsh) parseEngineUrl(engine, parts.env["TROUPE_ENGINE_PASSWORD"]);
  if (remote !== undefined && !isRemoteAddress(remote))
    throw new Error(`The remote of runners must be ${REMOTE_ADDRESS}; it is ${JSON.stringify(remote)}.`);
  if (pool !== undefined && !isPoolName(pool))
    throw new Error(`The pool of runners cannot be ${JSON.stringify(pool)}; it is ${POOL_NAME}.`);
  return openRunners({
    ...rest,
    version: troupeVersion(),
    connect: (signal) =>
      isSsh
        ? connectSsh(engine, signal, parts)
        : connectServer(engine, key ?? fleetKeyFile(parts.home), parts),
    ...(key === undefined ? {} : { key: resolve(key) }),
  });
}

interface OpenRunnersOptions extends Omit<Runners, "createHost"> {
  /** Connects to the engine, with the first agent that needs it. Rejects with a sentence. */
  connect(signal: AbortSignal): Promise<EngineConnection>;
}

export function openRunners({ connect, ...rest }: OpenRunnersOptions): Runners {
  const { maxAgents } = rest;
  const given = maxAgents === undefined ? {} : { maxAgents };
  return {
    ...rest,
    createHost(parts) {
      void sweepTemporaryFolders();
      return new RemoteHost({ ...parts, ...given, connect });
    },
  };
}

/** Its two ends have a key of their own. */
async function connectSsh(
  url: string,
  signal: AbortSignal,
  { env, clock, onLine }: EngineParts,
): Promise<EngineConnection> {
  const { openSsh } = await import("../../remote/open-ssh.ts");
  const { carrier, key, lost } = await openSsh({ url, env, clock, onLine, signal });
  return { carrier, fleetKey: key, ended: lost, isOurs: true };
}

async function connectServer(
  url: string,
  keyFile: string,
  { env, clock }: EngineParts,
): Promise<EngineConnection> {
  const fleetKey = await readFleetKey(keyFile);
  const { openEngine } = await import("../../engine/open-engine.ts");
  const password = env["TROUPE_ENGINE_PASSWORD"];
  const carrier = await openEngine(url, { clock, ...(password === undefined ? {} : { password }) });
  return { carrier, fleetKey };
}
