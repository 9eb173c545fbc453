import type { Session, SessionOptions } from "troupe";
import { MARK, peakMemoryMb } from "./checks/remains.ts";
import type { FaultLine, FaultProgram, FaultSession } from "./fault-sessions.ts";

/** Many sessions in one process, a few at a time: each is asked, asked again, and closed. */
interface Library {
  readonly Session: new (options: SessionOptions) => Session;
}

const program: FaultProgram = JSON.parse(process.argv[2] ?? "");
const { Session: OpenSession }: Library = await import(program.library);
const mark = process.env[MARK] ?? "";

const waiting = [...program.sessions];
await Promise.all(Array.from({ length: program.atOnce }, work));
process.stdout.write(`${JSON.stringify({ peakMb: peakMemoryMb(process.pid) ?? 0 })}\n`);

async function work(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) await run(next);
}

async function run({ name, home, cwd, url, limits, prompts }: FaultSession): Promise<void> {
  const waits: string[] = [];
  const warnings: string[] = [];
  const session = new OpenSession({
    cwd,
    home,
    model: { provider: "anthropic", apiKey: "sk-test-secret", baseURL: url },
    permissions: { mode: "bypassPermissions" },
    env: { [MARK]: mark },
    limits,
    agents: [{ name: "worker", whenToUse: "always", prompt: "You work.", tools: ["Bash", "Agent"] }],
  });
  const reading = (async () => {
    for await (const event of session.events()) {
      if (event.type === "waiting" && event.attempt !== null) waits.push(event.reason);
      if (event.type === "warning") warnings.push(event.message);
    }
  })();
  const ends: FaultLine["ends"][number][] = [];
  for (const prompt of prompts) {
    const { summary } = await session.prompt(prompt);
    ends.push({ status: summary.status, text: summary.text, reason: summary.reason ?? "" });
  }
  await session.close();
  await reading;
  const line: FaultLine = { name, folder: session.folder, ends, waits, warnings };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
