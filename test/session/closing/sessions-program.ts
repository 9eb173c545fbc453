import { readdirSync } from "node:fs";
import type { SupervisorEvent } from "../../../src/events/event.ts";
import { Supervisor } from "../../../src/session/supervisor.ts";

/** Opens and closes sessions of some agents each, one after the other, and prints what this process has after each. */
const { cwd, home, sessions, agents } = JSON.parse(process.argv[2] ?? "");
for (let n = 0; n < sessions; n += 1) {
  const onEvent = (event: SupervisorEvent) => event.type === "warning" && console.error(event.message);
  const session = new Supervisor({ cwd, home, source: { provider: "offline" }, onEvent });
  const answers = Array.from({ length: agents }, (_, agent) =>
    session.spawn({ prompt: `Where is ${agent}?` }),
  );
  // Of every third session the agents are still at work when it is closed.
  if (n % 3 > 0) await Promise.all(answers);
  await session.close();
  // The directory is empty, so the offline model finds nothing and ends `partial`.
  for (const { summary } of await Promise.all(answers))
    if (n % 3 > 0 && summary.status !== "partial") console.error(summary.status, summary.reason);
  const counts = {
    descriptors: readdirSync("/proc/self/fd").length,
    threads: readdirSync("/proc/self/task").length,
    handles: process.getActiveResourcesInfo(),
  };
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}
