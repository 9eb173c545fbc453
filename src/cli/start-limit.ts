import { within } from "../lib/clock.ts";
import type { CliIO } from "./io.ts";

/** Milliseconds for a start without questions: it reads files, and runs `apiKeyHelper` for at most 30 s. */
const START_MS = 120_000;

/** Waits for a start. Throws `StartStoodStill` if it takes longer than any does: a script would wait forever. */
export async function limitStart<T>(io: CliIO, start: Promise<T>): Promise<T> {
  if (await within(io.clock, START_MS, start)) return start;
  const awaited = [...new Set(process.getActiveResourcesInfo())].join(", ") || "nothing that Node knows of";
  throw new StartStoodStill(
    `The session did not start within ${START_MS / 60_000} min (it waits for ${awaited}); run the command again.`,
  );
}

/** The process must be ended. */
export class StartStoodStill extends Error {}
