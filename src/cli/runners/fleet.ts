import type { Carrier } from "../../engine/carrier.ts";
import { readFleetKey } from "../../engine/fleet-key.ts";
import type { Sealer } from "../../engine/messages.ts";
import { openEngine } from "../../engine/open-engine.ts";
import { createSeal } from "../../engine/seal.ts";
import { fleetKeyFile, troupeHome } from "../../journal/paths.ts";
import type { CliIO } from "../io.ts";

/** Returns the file of the fleet's key on this machine. */
export function fleetKeyPath(io: Pick<CliIO, "env" | "homedir">): string {
  return fleetKeyFile(troupeHome(io.env, io.homedir));
}

/** Connects to an engine. Throws a sentence. */
export function openCarrier(url: string, { env, clock }: Pick<CliIO, "env" | "clock">): Promise<Carrier> {
  const password = env["TROUPE_ENGINE_PASSWORD"];
  return openEngine(url, { clock, ...(password === undefined ? {} : { password }) });
}

/** Returns what seals and opens a session's messages, by the key on this machine. Rejects with a sentence. */
export async function readSealers(io: CliIO): Promise<(session: string) => Sealer> {
  return sealersOf(await readFleetKey(fleetKeyPath(io)));
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
