import { Cron } from "croner";
import { errorMessage } from "../lib/errors.ts";

/** Returns the first time of a cron expression after another time, in milliseconds since 1970, or null. */
export type CronTimes = (after: number) => number | null;

/**
 * Reads five fields (minute, hour, day of month, month, day of week) in a time zone, by default the system's. Returns a
 * sentence if they are invalid or never due. A time that a change of clocks skips is due right after it; one that occurs
 * twice is due once.
 */
export function readCron(text: string, timeZone?: string): CronTimes | string {
  const fields = text.trim().split(/\s+/).length;
  if (fields !== 5)
    return `${JSON.stringify(text)} has ${fields === 1 ? "one field" : `${fields} fields`}; a cron expression has five: minute, hour, day of month, month, day of week.`;
  try {
    const cron = new Cron(text.trim(), {
      mode: "5-part",
      paused: true,
      ...(timeZone === undefined ? {} : { timezone: timeZone }),
    });
    const times: CronTimes = (after) => cron.nextRun(new Date(after))?.getTime() ?? null;
    return times(0) === null ? `${JSON.stringify(text)} is never due: no such day exists.` : times;
  } catch (error) {
    const why = errorMessage(error);
    return `${JSON.stringify(text)} is not a cron expression: ${why.replace(/^\w+: /, "")}`;
  }
}
