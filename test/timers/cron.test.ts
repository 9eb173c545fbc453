import { expect, test } from "vitest";
import { readCron } from "../../src/timers/cron.ts";

/** The first times after a moment, in UTC. */
function timesOf(cron: string, zone: string, after: string, count: number): (string | null)[] {
  const times = readCron(cron, zone);
  if (typeof times === "string") throw new Error(times);
  const found: (string | null)[] = [];
  for (let at: number | null = Date.parse(after); at !== null && found.length < count; ) {
    at = times(at);
    found.push(at === null ? null : new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

test.each([
  ["*/5 * * * *", "UTC", "2026-01-01T00:01Z", ["2026-01-01T00:05", "2026-01-01T00:10"]],
  ["0 9 * * 1-5", "UTC", "2026-01-02T10:00Z", ["2026-01-05T09:00", "2026-01-06T09:00"]],
  ["0 0 29 2 *", "UTC", "2026-01-01T00:00Z", ["2028-02-29T00:00", "2032-02-29T00:00"]],
  // Either day field, as cron has it since 1979.
  ["0 9 13 * 5", "UTC", "2026-02-12T00:00Z", ["2026-02-13T09:00", "2026-02-20T09:00"]],
  // 02:30 does not exist on 29 March in Berlin; it is due right after the change.
  ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-30T00:30"]],
  // 02:30 occurs twice on 25 October; it is due once.
  ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
])(
  "%s in %s is due at the local times it names, also when clocks change (A15.1)",
  (cron, zone, after, due) => {
    expect(timesOf(cron, zone, after, due.length)).toEqual(due);
  },
);

test.each([
  ["0 0 30 2 *", "never due"],
  ["* * * * * *", "6 fields"],
  ["@daily", "one field"],
  ["", "one field"],
  ["61 * * * *", "not a cron expression"],
  ["a b c d e", "not a cron expression"],
  ["*/0 * * * *", "not a cron expression"],
  ["5-1 * * * *", "not a cron expression"],
])("%j is refused with the reason (A15.1)", (cron, why) => {
  expect(readCron(cron, "UTC")).toContain(why);
});
