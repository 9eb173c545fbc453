import type { Carrier } from "../../engine/carrier.ts";
import { readFleetKey } from "../../engine/fleet-key.ts";
import type { Sealer } from "../../engine/messages.ts";
import { openEngine } from "../../engine/open-engine.ts";
import { createSeal } from "../../engine/seal.ts";
import { fleetKeyFile, troupeHome } from "../../journal/paths.ts";
import { expandHome } from "../../lib/paths.ts";
import { settingsPaths } from "../../settings/paths.ts";
import { combine } from "../../settings/read-settings.ts";
import { readSettingsFiles } from "../../settings/settings-file.ts";
import { whereOf } from "../directories.ts";
import type { CliIO } from "../io.ts";
import { UsageError } from "../usage-error.ts";

/** Returns what the user's settings say of runners; those of a project do not count. */
async function readRunnersSettings(io: CliIO) {
  const files = await readSettingsFiles(settingsPaths(whereOf(io, io.cwd)));
  return combine(files, false).settings.runners;
}

/** Returns the engine's address: the flag's, that of `TROUPE_ENGINE`, or that of the settings. Throws a `UsageError` without one. */
export async function engineAddress(given: string | undefined, io: CliIO, command: string): Promise<string> {
  const url = given?.trim() || io.env["TROUPE_ENGINE"]?.trim() || (await readRunnersSettings(io)).engine;
  if (url !== undefined) return url;
  throw new UsageError(
    `${command} needs an engine: give --engine URL, or set TROUPE_ENGINE or troupe.runners.engine.`,
  );
}

/** Returns the file of the fleet's key on this machine. */
export async function fleetKeyPath(io: CliIO): Promise<string> {
  const { key } = await readRunnersSettings(io);
  return key === undefined ? fleetKeyFile(troupeHome(io.env, io.homedir)) : expandHome(key, io.homedir);
}

/** Connects to an engine. Throws a sentence. */
export function openCarrier(url: string, { env, clock }: Pick<CliIO, "env" | "clock">): Promise<Carrier> {
  const password = env["TROUPE_ENGINE_PASSWORD"];
  return openEngine(url, { clock, ...(password === undefined ? {} : { password }) });
}

/** Returns what seals and opens a session's messages, by the key on this machine. Rejects with a sentence. */
export async function readSealers(io: CliIO): Promise<(session: string) => Sealer> {
  return sealersOf(await readFleetKey(await fleetKeyPath(io)));
}

export function sealersOf(key: Uint8Array): (session: string) => Sealer {
  const made = new Map<string, Sealer>();
  return (session) => {
    const seal = made.get(session) ?? createSeal(key, session);
    // Anyone who writes to the engine may name sessions that do not exist.
    if (made.size < MOST_SESSIONS) made.set(session, seal);
    return seal;
  };
}

const MOST_SESSIONS = 1_000;
