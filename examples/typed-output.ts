/** An answer as data, and what happens meanwhile: `ANTHROPIC_API_KEY=… node examples/typed-output.ts` */
import { Session } from "troupe";
import * as z from "zod";

const apiKey = process.env["ANTHROPIC_API_KEY"];
await using session = new Session({
  cwd: process.cwd(),
  model: apiKey ? { provider: "anthropic", apiKey } : { provider: "offline" },
});
const run = session.spawn({
  prompt: "which scripts does this project have?",
  output: z.object({ scripts: z.array(z.string()) }),
});
void (async () => {
  for await (const event of run.events())
    if (event.type === "agent") console.error(`${event.view.state}, ${event.view.turns} turns`);
})();
const { output, summary } = await run;
// The offline model cannot write data, so there is none without a key.
console.log(output === null ? `${summary.status}: ${summary.reason}` : output.scripts.join("\n"));
