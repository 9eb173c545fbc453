/** A tool and an agent of one's own: `ANTHROPIC_API_KEY=… node examples/own-tool.ts "is it open on Sunday?"` */
import { defineAgent, Supervisor } from "troupe";
import { openingHours } from "./opening-hours.ts";

const clerk = defineAgent({
  name: "clerk",
  whenToUse: "Questions of customers.",
  prompt:
    "You answer questions of a shop's customers. Look facts up; never guess them. Answer in one sentence.",
  tools: ["OpeningHours"],
});

const apiKey = process.env["ANTHROPIC_API_KEY"];
if (!apiKey) throw new Error("Set ANTHROPIC_API_KEY: the offline model knows no tools of your own.");

const supervisor = new Supervisor({
  cwd: process.cwd(),
  source: { provider: "anthropic", apiKey },
  tools: [openingHours],
  agents: [clerk],
});
const prompt = process.argv[2] ?? "Is the shop open on Sunday?";
const { summary } = await supervisor.spawn({ type: "clerk", prompt });
console.log(summary.status === "done" ? summary.text : `${summary.status}: ${summary.reason}`);
if (summary.status !== "done") process.exitCode = 1;
await supervisor.close();
