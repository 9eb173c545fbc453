import { existsSync } from "node:fs";
import { createFleetKey, readFleetKey } from "../../engine/fleet-key.ts";
import { openMessage, sealMessage } from "../../engine/messages.ts";
import { pause } from "../../lib/clock.ts";
import { randomIds } from "../../mailbox/ids.ts";
import { type RunnerInfo, ToSession, topics } from "../../mailbox/runners.ts";
import type { Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson, printNotes, tableLines } from "../print.ts";
import { fleetKeyPath, openCarrier, readSealers } from "./fleet.ts";

/** Milliseconds that runners have to respond. */
const RESPOND_MS = 1_500;

/** Asks all runners of an engine who they are. */
export async function printRunners(url: string, isJson: boolean, { io }: Context): Promise<number> {
  const sealerOf = await readSealers(io);
  const carrier = await openCarrier(url, io);
  const session = randomIds().session();
  const topic = topics.session(session);
  const sealer = sealerOf(session);
  const found = new Map<string, RunnerInfo>();
  try {
    await carrier.listen(topic, async (raw) => {
      const opened = await openMessage(carrier, () => sealer, topic, raw).catch(() => null);
      const parsed = ToSession.safeParse(opened?.value);
      if (parsed.success && parsed.data.type === "here") found.set(parsed.data.runner.id, parsed.data.runner);
    });
    const who = JSON.stringify({ type: "who", topic });
    await carrier.publish(topics.runners, await sealMessage(carrier, sealer, session, topics.runners, who));
    await pause(io.clock, RESPOND_MS);
  } finally {
    await carrier.close();
  }
  const runners = [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
  if (isJson) await printJson(io, runners);
  else if (runners.length === 0)
    await printNotes(io, [
      "No runner responded. Start one with troupe runner --engine URL, with the same fleet key and version.",
    ]);
  else await io.stdout.write(`${tableLines([HEAD, ...runners.map(rowOf)]).join("\n")}\n`);
  return exitCodes.done;
}

const HEAD = ["NAME", "POOLS", "SLOTS", "LOAD", "VERSION", "SANDBOX", "STATE"];

function rowOf({ name, pools, slots, used, load, version, sandbox, draining, rests }: RunnerInfo): string[] {
  return [
    ...[name, pools.join(","), `${used}/${slots}`, load.toFixed(2), version, sandbox],
    draining ? "shutting down" : rests === undefined ? "ready" : `takes nothing: ${rests}`,
  ];
}

/** Creates the fleet's key, or says where it is. Rejects with a sentence if it cannot be used. */
export async function printKey({ io }: Context): Promise<number> {
  const path = await fleetKeyPath(io);
  const isThere = existsSync(path);
  if (isThere) await readFleetKey(path);
  else await createFleetKey(path);
  await io.stdout.write(`${path}\n`);
  await printNotes(io, [
    isThere
      ? "The key of this fleet is there already."
      : "Created the key of a new fleet. Copy this file, readable by its owner only, to each machine of the fleet.",
  ]);
  return exitCodes.done;
}
