/** A queue that feeds agents, two at a time: `node examples/work-queue.ts`. It survives a kill: start it again with its session. */
import { Session } from "troupe";
import { queue } from "./work-queue-actor.ts";

await using session = new Session({ cwd: process.cwd(), model: { provider: "offline" } });
const actor = await session.actors.start(queue, { state: { atOnce: 2 } });
for (const task of ["what is this project?", "how do I run the tests?", "where is the journal written?"])
  await actor.tell("add", { task });

// Every change of its state is durable; asking is cheap.
for (let open = 1; open > 0; ) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  open = (await actor.ask("status", {})).open;
}
for (const { status, text } of (await actor.ask("status", {})).reports)
  console.log(`${status}: ${text.split("\n")[0]}`);
