import { readdirSync } from "node:fs";
import { Supervisor } from "../../../src/supervisor/supervisor.ts";

/** Opens and closes sessions of three agents each, one after the other, and prints what this process has after each. */
const { cwd, home, sessions } = JSON.parse(process.argv[2] ?? "");
for (let n = 0; n < sessions; n += 1) {
  const session = new Supervisor({ cwd, home, source: { provider: "offline" } });
  const answers = [1, 2, 3].map((agent) => session.spawn({ prompt: `Where is ${agent}?` }));
  // Of every third session the agents are still at work when it is closed.
  if (n % 3 > 0) await Promise.all(answers);
  await session.close();
  await Promise.all(answers);
  const counts = {
    descriptors: readdirSync("/proc/self/fd").length,
    threads: readdirSync("/proc/self/task").length,
    handles: process.getActiveResourcesInfo(),
  };
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}
