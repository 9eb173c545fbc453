/** Two agents at once, one summary each: `node examples/fan-out.ts` */
import { Session } from "troupe";

const apiKey = process.env["ANTHROPIC_API_KEY"];
await using session = new Session({
  cwd: process.cwd(),
  model: apiKey ? { provider: "anthropic", apiKey } : { provider: "offline" },
});

const results = await session.fanout(
  ["where is the wire format of messages decided?", "how does an agent end?"],
  { type: "Explore" },
);
for (const { description, summary } of results) {
  console.log(`## ${description} (${summary.status}, ${summary.turns} turns)\n\n${summary.text}\n`);
}
