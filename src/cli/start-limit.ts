import { within } from "../mailbox/clock.ts";
import type { CliIO } from "./io.ts";

/** Milliseconds that a start may take that asks nobody: it reads files, and runs `apiKeyHelper` for at most 30 s. */
const START_MS = 120_000;

/** The start's outcome; throws `StartStoodStill` where it takes longer than any does: a script would wait for ever. */
export async function limitStart<T>(io: CliIO, start: Promise<T>): Promise<T> {
  if (await within(io.clock, START_MS, start)) return start;
  const awaited = [...new Set(process.getActiveResourcesInfo())].join(", ") || "nothing that Node knows of";
  throw new StartStoodStill(
    `The session did not start within ${START_MS / 60_000} min (it waits for ${awaited}); run the command again.`,
  );
}

/** Its process is to be ended. */
export class StartStoodStill extends Error {}
