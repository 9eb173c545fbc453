/** Two agents at once, one summary each: `node examples/fan-out.ts` */
import { Supervisor } from "troupe";

const apiKey = process.env["ANTHROPIC_API_KEY"];
const source = apiKey ? ({ provider: "anthropic", apiKey } as const) : ({ provider: "offline" } as const);
const supervisor = new Supervisor({ cwd: process.cwd(), source });

const questions = ["where is the wire format of messages decided?", "how does an agent end?"];
const results = await Promise.all(questions.map((prompt) => supervisor.spawn({ type: "Explore", prompt })));

for (const { description, summary } of results) {
  console.log(`## ${description} (${summary.status}, ${summary.turns} turns)\n\n${summary.text}\n`);
}
await supervisor.close();
