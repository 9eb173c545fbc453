import type { Restoring, Session, SessionEvent, SessionOptions } from "troupe";
import { MARK } from "./checks/remains.ts";
import type { ProgramLine, ProgramRequest } from "./session-run.ts";

/**
 * One session as a program of a library user: begun with a prompt or, where the directory has one, taken up where it was
 * cut off; closed at its end. Killed at any moment by the tests.
 */
interface Library {
  readonly Session: new (options: SessionOptions) => Session;
  resumeSession(request: { home: string; cwd: string; session: "latest" }): Promise<Restoring>;
}

const request: ProgramRequest = JSON.parse(process.argv[2] ?? "");
const { Session: OpenSession, resumeSession }: Library = await import(request.library);
const { home, cwd, url: baseURL } = request;

const restoring = await resumeSession({ home, cwd, session: "latest" });
const resume = restoring.type === "restored" ? restoring.session : undefined;
const mark = process.env[MARK] ?? "";
const session = new OpenSession({
  cwd,
  home,
  model: { provider: "anthropic", apiKey: "sk-test-secret", baseURL },
  permissions: { mode: "bypassPermissions" },
  env: { [MARK]: mark },
  limits: request.limits ?? {},
  agents: [
    { name: "worker", whenToUse: "always", prompt: "You work.", tools: ["Bash", "Agent"], maxTurns: 100 },
  ],
  ...(resume ? { resume } : {}),
});
void (async () => {
  for await (const event of session.events()) onEvent(event);
})();
tell({ type: "opened", folder: session.folder, resumed: resume !== undefined });
const begun = resume?.state.actors.size ?? 0;
const result = begun > 0 ? await session.resumeUnfinished() : await session.prompt(request.prompt);
const main = result ?? session.tree().find(({ id }) => id === "main");
await session.close();
const { status = "none", text = "", reason = undefined } = main?.summary ?? {};
tell({
  type: "ended",
  status,
  text,
  ...(reason === undefined ? {} : { reason }),
});

function onEvent(event: SessionEvent): void {
  if (event.type === "warning") tell({ type: "warning", message: event.message });
  if (event.type === "waiting") tell({ type: "waiting", reason: event.reason, ms: event.ms });
}

function tell(line: ProgramLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
