import type { Readable, Writable } from "node:stream";
import type { Carrier } from "../../engine/carrier.ts";
import { readFleetKey } from "../../engine/fleet-key.ts";
import type { Sealer } from "../../engine/messages.ts";
import { openEngine } from "../../engine/open-engine.ts";
import { openPipe } from "../../engine/pipe-carrier.ts";
import { createSeal } from "../../engine/seal.ts";
import { fleetKeyFile, troupeHome } from "../../journal/paths.ts";
import type { Clock } from "../../lib/clock.ts";
import { expandHome } from "../../lib/paths.ts";
import { settingsPaths } from "../../settings/paths.ts";
import { combine } from "../../settings/read-settings.ts";
import { readSettingsFiles } from "../../settings/settings-file.ts";
import { whereOf } from "../directories.ts";
import { UsageError } from "../exit-codes.ts";
import type { CliIO } from "../process-io.ts";

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

/** A key is 32 bytes. */
const KEY_LINE = /^[\w-]{43}$/;
const MOST_LINE_BYTES = 1_000;

/**
 * Speaks with the one session at the other end of standard input and output. Its key comes as the first line, as it is new for
 * each connection. Rejects with a sentence.
 */
export async function openStdio(
  input: Readable,
  output: Writable,
  clock: Clock,
): Promise<{ readonly carrier: Carrier; readonly sealerOf: (session: string) => Sealer }> {
  const line = await readFirstLine(input);
  if (!KEY_LINE.test(line))
    throw new Error(
      "--engine stdio: is for a session that starts this runner: its first line must be a key of 32 bytes in base64url.",
    );
  const carrier = await openPipe({ input, output, clock });
  return { carrier, sealerOf: sealersOf(Buffer.from(line, "base64url")) };
}

/** Leaves everything after the line in the stream. */
async function readFirstLine(input: Readable): Promise<string> {
  let read = Buffer.alloc(0);
  return new Promise((resolve) => {
    const done = (line: string) => {
      input.off("readable", look);
      input.off("end", ended);
      resolve(line.trim());
    };
    const ended = () => done("");
    const look = () => {
      for (let chunk = input.read(); chunk !== null; chunk = input.read()) {
        read = Buffer.concat([read, Buffer.from(chunk)]);
        const end = read.indexOf("\n");
        if (end < 0 && read.length <= MOST_LINE_BYTES) continue;
        if (end >= 0) input.unshift(read.subarray(end + 1));
        return done(end < 0 ? "" : read.toString("utf8", 0, end));
      }
    };
    input.on("readable", look);
    input.once("end", ended);
  });
}
