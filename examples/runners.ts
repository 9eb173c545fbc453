/**
 * An agent on another machine: `TROUPE_ENGINE=ssh://HOST node examples/runners.ts "where is …?"`, in a git repository.
 * `redis://…` and `postgres://…` are engines, too. The machine asks the model itself, with its own key or without.
 */
import { Session } from "troupe";

await using session = new Session({
  cwd: process.cwd(),
  model: { provider: "offline" },
  runners: { engine: process.env["TROUPE_ENGINE"] ?? "ssh://localhost" },
});

const prompt = process.argv[2] ?? "where is hello?";
const { id, summary } = await session.spawn({ prompt, runner: "default" });
const machine = session.tree().find((agent) => agent.id === id)?.runner ?? "no machine";
console.log(`${summary.status} on ${machine}: ${summary.text || summary.reason}`);
if (summary.status !== "done") process.exitCode = 1;
