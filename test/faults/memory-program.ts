import { leasingHost } from "../../src/actors/leasing-host.ts";
import { resumeSession } from "../../src/session/resume-session.ts";
import { Supervisor } from "../../src/session/supervisor.ts";
import { MARK, peakMemoryMb } from "./checks/remains.ts";
import type { ProgramRequest } from "./session-run.ts";

/**
 * A session whose threads may be greedy (`greedy-worker.ts`), begun or taken up again. From the sources, since a
 * thread's entry is handed in.
 */
const request: ProgramRequest = JSON.parse(process.argv[2] ?? "");
const { home, cwd, url: baseURL, limits = {}, prompt } = request;
const restoring = await resumeSession({ home, cwd, session: "latest" });
const resume = restoring.type === "restored" ? restoring.session : undefined;
const entry = new URL("./greedy-worker.ts", import.meta.url);
const session = new Supervisor({
  cwd,
  home,
  source: { provider: "anthropic", apiKey: "sk-test-secret", baseURL },
  permissionMode: "bypassPermissions",
  env: { [MARK]: process.env[MARK] ?? "" },
  limits,
  host: leasingHost({ entry, onFault: (message) => tell({ type: "warning", message }) }),
  agents: [{ name: "worker", whenToUse: "always", prompt: "You work.", tools: ["Bash", "Glob"] }],
  ...(resume ? { resume } : {}),
});
const rssBefore = process.memoryUsage().rss;
tell({ type: "opened", folder: session.folder, resumed: resume !== undefined });
if (resume && resume.state.actors.size > 0) await session.resumeUnfinished();
else await session.prompt(prompt);
const [main, ...agents] = session.tree();
await session.close();
tell({
  type: "agents",
  agents: agents.map(({ description, summary }) => ({
    description,
    status: summary?.status,
    text: summary?.text,
    reason: summary?.reason,
  })),
  grownMb: (process.memoryUsage().rss - rssBefore) / 2 ** 20,
  peakMb: peakMemoryMb(process.pid),
});
tell({ type: "ended", status: main?.summary?.status, text: main?.summary?.text });

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
