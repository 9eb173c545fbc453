/** An actor that waits for three agents and then asks a fourth: `node examples/reviewer.ts`. */
import { Supervisor } from "troupe";
import { reviewer } from "./reviewer-actor.ts";

const session = new Supervisor({ cwd: process.cwd(), source: { provider: "offline" } });
const actor = await session.actors.start(reviewer);
await actor.tell("review", {
  questions: ["what is this project?", "how do I build it?", "how do I run the tests?"],
  about: "what changed lately?",
});
for (let verdict = null; verdict === null; ) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  ({ verdict } = await actor.ask("verdict", {}));
  if (verdict !== null) console.log(verdict);
}
await session.close();
