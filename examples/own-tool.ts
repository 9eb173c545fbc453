/** A tool and an agent of one's own: `node examples/own-tool.ts "is it open on Sunday?"`, with a key or without. */
import { defineAgent, Session } from "troupe";
import { openingHours } from "./opening-hours.ts";

const clerk = defineAgent({
  name: "clerk",
  whenToUse: "Questions of customers.",
  prompt:
    "You answer questions of a shop's customers. Look facts up; never guess them. Answer in one sentence.",
  tools: ["OpeningHours"],
});

const apiKey = process.env["ANTHROPIC_API_KEY"];
await using session = new Session({
  cwd: process.cwd(),
  model: apiKey ? { provider: "anthropic", apiKey } : { provider: "offline" },
  tools: [openingHours],
  agents: [clerk],
});
// The offline model does not understand such questions; it calls a tool if it is told to.
const offline = 'call OpeningHours {"day": "sunday"}';
const prompt = process.argv[2] ?? (apiKey ? "Is the shop open on Sunday?" : offline);
const { summary } = await session.spawn({ type: "clerk", prompt });
console.log(summary.status === "done" ? summary.text : `${summary.status}: ${summary.reason}`);
if (summary.status !== "done") process.exitCode = 1;
