/** An actor that waits for three agents: `node examples/reviewer.ts`. */
import { Session } from "troupe";
import { reviewer } from "./reviewer-actor.ts";

await using session = new Session({ cwd: process.cwd(), model: { provider: "offline" } });
const actor = await session.actors.start(reviewer);
await actor.tell("review", {
  questions: ["what is this project?", "how do I build it?", "how do I run the tests?"],
});
for (let review = null; review === null; ) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  ({ review } = await actor.ask("result", {}));
  if (review !== null) console.log(review);
}
