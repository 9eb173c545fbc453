import { realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import { Supervisor } from "../../../src/session/supervisor.ts";
import { inThreadHost } from "../../support/in-thread-host.ts";
import { seededScheduler } from "../../support/scheduler.ts";

/** What `killed-sessions.test.ts` tells this program. */
export interface ToKill {
  readonly home: string;
  readonly cwd: string;
  /** Of the session's git and commands. */
  readonly env: Readonly<Record<string, string>>;
  /** The reply of the agent, from 0, at which the process kills itself; null: none. */
  readonly diesAt: number | null;
  readonly check: string | null;
  /** What its Agent call states of the work. */
  readonly accept?: string;
}

/** A session whose conversation starts one agent with a worktree, which writes two files; or the last one, gone on with. */
const { home, cwd, env, diesAt, check, accept }: ToKill = JSON.parse(process.argv[2] ?? "");
writeFileSync(join(dirname(cwd), "session.pid"), `${process.pid}`);
const restoring = await resumeSession({ home, cwd: realpathSync(cwd), session: "latest" });
const resume = restoring.type === "restored" ? restoring.session : undefined;
const model = scriptedModel((request) => {
  const replies = request.messages.filter(({ role }) => role === "assistant").length;
  if (request.actor === "main") {
    if (replies > 0) return { text: "All done." };
    const input = {
      ...{
        description: "two files",
        prompt: "write",
        isolation: "worktree",
        subagent_type: "general-purpose",
        ...(accept === undefined ? {} : { accept: { run: accept, files: ["one.txt"] } }),
      },
    };
    return { calls: [{ name: "Agent", input }] };
  }
  if (replies === diesAt) process.kill(process.pid, "SIGKILL");
  const root = /Working directory: (.+)/.exec(request.system.join("\n"))?.[1] ?? "";
  const write = (name: string, content: string) => ({
    calls: [{ name: "Write", input: { file_path: join(root, name), content } }],
  });
  if (replies === 0) return write("one.txt", "one, of the agent\n");
  if (replies === 1) return write("a.txt", "a, of the agent\n");
  return { text: "Both are written." };
});
const supervisor = new Supervisor({
  ...{ cwd, home, env, permissionMode: "acceptEdits", allowedTools: ["Bash"] },
  source: { provider: "client", client: model },
  host: inThreadHost(seededScheduler(() => 0)),
  limits: { patienceMs: 0 },
  worktree: { check },
  ...(resume ? { resume } : {}),
});
const result = resume ? await supervisor.resumeUnfinished() : await supervisor.prompt("go");
const agents = supervisor.tree().filter(({ id }) => id !== "main");
await supervisor.close();
console.log(
  JSON.stringify({ main: result?.summary.status ?? null, agents: agents.map(({ summary }) => summary) }),
);
