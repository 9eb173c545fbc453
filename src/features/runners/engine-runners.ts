import { resolve } from "node:path";
import { parseEngineUrl } from "../../engine/engine-url.ts";
import { readFleetKey } from "../../engine/fleet-key.ts";
import { fleetKeyFile } from "../../journal/paths.ts";
import type { Clock } from "../../lib/clock.ts";
import { troupeVersion } from "../../lib/version.ts";
import { isPoolName, POOL_NAME } from "../../mailbox/ids.ts";
import type { EngineConnection } from "../../remote/engine-line.ts";
import { isRemoteAddress, REMOTE_ADDRESS } from "../../settings/remote-address.ts";
import type { Runners } from "./index.ts";
import { openRunners } from "./open-runners.ts";

/** Runners that are reached through an engine. */
export interface RunnersOptions {
  /** Its address: `redis://…`, `rediss://…`, `postgres://…` or `ssh://HOST`. `TROUPE_ENGINE_PASSWORD` is its password. */
  readonly engine: string;
  /** The pool of agents that name none (default: those run here). */
  readonly pool?: string;
  /** The file with the key of the fleet (default `~/.troupe/fleet-key`). */
  readonly key?: string;
  /** A shell command that runs once in each new worktree on a runner, before its agent starts. */
  readonly setup?: string;
  /**
   * A git repository that the session and its runners reach (`troupe.runners.remote` on their machines), for the first copy of a
   * repository and for files over 64 MiB.
   */
  readonly remote?: string;
  /**
   * Whose credentials runners ask models with: their own (default), or those of the session, lent to each agent while it runs.
   */
  readonly credentials?: "runner" | "lend";
  /** Agents of the session that are on runners, or wait for one, at the same time (default 256). */
  readonly maxAgents?: number;
}

export interface EngineParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Troupe's directory. */
  readonly home: string;
  readonly clock: Clock;
  /** Receives what a runner that is started through ssh says of itself. */
  onLine(line: string): void;
}

/** Returns the runners behind an engine, which is connected to with the first agent that needs it. Throws if its address cannot be used. */
export function engineRunners(
  { engine, key, pool, setup, remote, maxAgents, credentials }: RunnersOptions,
  parts: EngineParts,
): Runners {
  const isSsh = engine.startsWith("ssh:");
  if (!isSsh) parseEngineUrl(engine, parts.env["TROUPE_ENGINE_PASSWORD"]);
  if (remote !== undefined && !isRemoteAddress(remote))
    throw new Error(`The remote of runners must be ${REMOTE_ADDRESS}; it is ${JSON.stringify(remote)}.`);
  if (pool !== undefined && !isPoolName(pool))
    throw new Error(`The pool of runners cannot be ${JSON.stringify(pool)}; it is ${POOL_NAME}.`);
  return openRunners({
    version: troupeVersion(),
    connect: (signal) =>
      isSsh
        ? connectSsh(engine, signal, parts)
        : connectServer(engine, key ?? fleetKeyFile(parts.home), parts),
    ...(key === undefined ? {} : { key: resolve(key) }),
    ...(setup === undefined ? {} : { setup }),
    ...(remote === undefined ? {} : { remote }),
    ...(pool === undefined ? {} : { pool }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(maxAgents === undefined ? {} : { maxAgents }),
  });
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
