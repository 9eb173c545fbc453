import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sessionPaths } from "../src/journal/paths.ts";
import type { SessionEvent } from "../src/journal/session-events.ts";
import { startJournal } from "../src/journal/thread-journal.ts";
import { systemClock } from "../src/lib/clock.ts";
import { MAIN, SessionId } from "../src/mailbox/ids.ts";
import { onFreshGround } from "./folders.ts";
import type { BenchOptions, BenchResult } from "./result.ts";
import { interleaved, median, p95 } from "./samples.ts";

const EVENT: SessionEvent = {
  type: "before",
  actor: MAIN,
  call: "main.1.0" as never,
  tool: "Read",
  input: { file_path: `/${"x".repeat(150)}` },
  decision: "go",
};

/** How long a durable record takes, alone and in company; for information. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const count = quick ? 100 : 500;
  return onFreshGround(async ({ home, cwd }) => {
    const id = SessionId.parse("benchmark0");
    const journal = startJournal({ ...sessionPaths(home, cwd, id), clock: systemClock });
    const fd = openSync(join(cwd, "bare"), "w");
    const line = `${JSON.stringify(EVENT)}\n`;
    try {
      const alone = await interleaved(count, {
        ours: () => timed(() => journal.append(EVENT)),
        bare: () =>
          timed(async () => {
            writeSync(fd, line);
            fdatasyncSync(fd);
          }),
      });
      const many = count * 20;
      const ms = await timed(() => Promise.all(Array.from({ length: many }, () => journal.append(EVENT))));
      return [
        {
          name: "a durable record, alone",
          unit: "ms",
          ours: median(alone.ours),
          floor: median(alone.bare),
          target: null,
          note: `${p95(alone.ours)}; floor: write and fdatasync on this thread`,
        },
        {
          name: "durable records, many at once",
          unit: "k/s",
          ours: many / ms,
          floor: null,
          target: null,
        },
      ];
    } finally {
      closeSync(fd);
      await journal.close();
    }
  });
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
