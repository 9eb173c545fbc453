import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSessionFacts } from "../../../../src/cli/repl/status/session-facts.ts";
import { createStatusCommand } from "../../../../src/cli/repl/status/status-command.ts";
import { gitBranch } from "../../../../src/cli/repl/status/status-rows.ts";
import type { SupervisorEvent } from "../../../../src/events/event.ts";
import { MAIN } from "../../../../src/mailbox/ids.ts";
import type { RunRequest, RunResult } from "../../../../src/mailbox/runs.ts";
import { actor, agentView } from "../../../support/agent-view.ts";
import { FakeClock, settled } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temporary.ts";
import { FakeRuntime, usage } from "../../fake-session.ts";

async function facts() {
  const runtime = new FakeRuntime();
  const create = await runtime.createSupervisor();
  let onEvent: (event: SupervisorEvent) => void = () => {};
  create({ cwd: "/w", source: { provider: "offline" }, onEvent: (event) => onEvent(event) });
  const session = runtime.only;
  const known = createSessionFacts({ session, cwd: "/w", windowOf: () => 1_000, clock: new FakeClock() });
  onEvent = known.onEvent;
  return { session, known };
}

test("counts the agents at work, those that cannot continue, and the context of the main conversation", async () => {
  const { session, known } = await facts();
  expect(known.status("main", null)).toMatchObject({ context: null, agents: { working: 0, waiting: 0 } });
  const one = { parent: MAIN, model: "x" };
  session.emit({ type: "agent", view: agentView({ ...one, id: MAIN, parent: null }) });
  session.emit({ type: "agent", view: agentView({ ...one, id: actor(1) }) });
  session.emit({ type: "agent", view: agentView({ ...one, id: actor(2), state: "paused" }) });
  session.emit({ type: "agent", view: agentView({ ...one, id: actor(3), state: "waiting" }) });
  session.emit({ type: "agent", view: agentView({ ...one, id: actor(4), state: "ended" }) });
  const reply = { type: "message", turn: 1, role: "assistant", content: "", usage: usage(200, 50) } as const;
  session.emit({ ...reply, actor: MAIN });
  session.emit({ ...reply, actor: actor(1), usage: usage(900, 0) });
  const what = { type: "question", askers: [{ actor: actor(1) }] };
  session.emit({ type: "asked", id: "q", what } as unknown as SupervisorEvent);
  expect(known.status("main", null)).toEqual({
    ...{ vim: null, model: "x", mode: "default", context: 0.25, costUsd: 0.25, branch: "main" },
    agents: { working: 3, waiting: 2 },
    tasks: 0,
    isWorking: true,
  });
  session.emit({ type: "settled", id: "q", answer: null });
  session.emit({ type: "compacted", actor: MAIN, trigger: "auto", before: 250, after: 100 });
  expect(known.status(null, "NORMAL")).toMatchObject({ context: 0.1, agents: { waiting: 1 } });
  expect(known.commandInput("INSERT")).toMatchObject({
    session_id: "session1",
    vim: { mode: "INSERT" },
    model: { id: "x", display_name: "x" },
    workspace: { current_dir: "/w", project_dir: "/w" },
    cost: { total_cost_usd: 0.25 },
    context_window: { context_window_size: 1_000, used_percentage: 10 },
  });
});

test.each([
  ["ref: refs/heads/feature/x\n", "feature/x"],
  ["0123456789abcdef\n", "01234567"],
] as const)("a HEAD of %j is the branch %j, also in a worktree and below it", (head, expected) => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, ".git/worktrees/w"), { recursive: true });
  mkdirSync(join(dir, "tree/inside"), { recursive: true });
  writeFileSync(join(dir, ".git/HEAD"), "ref: refs/heads/other\n");
  writeFileSync(join(dir, ".git/worktrees/w/HEAD"), head);
  writeFileSync(join(dir, "tree/.git"), `gitdir: ${dir}/.git/worktrees/w\n`);
  expect([gitBranch(dir), gitBranch(join(dir, "tree/inside"))]).toEqual(["other", expected]);
});

test("the user's command runs once at a time, at most every 300 ms, only after a change, and is cleaned", async () => {
  const clock = new FakeClock();
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const started: { readonly request: RunRequest; end(result: Partial<RunResult>): void }[] = [];
  const problems: string[] = [];
  let changes = 0;
  const command = createStatusCommand({
    run: (request) =>
      new Promise((resolve) => {
        const none = { outcome: "exited", exitCode: 0, signal: null, stdout: "", stderr: "" } as const;
        const end = (result: Partial<RunResult>) =>
          resolve({ id: request.id, ...none, truncated: false, durationMs: 1, ...result });
        started.push({ request, end });
      }),
    ...{ clock, cwd: "/w", folder: temporaryFolder(), signal: over.signal },
    onChange: () => (changes += 1),
    onProblem: (message) => problems.push(message),
  });
  const update = async (state: string) => {
    command.update({ command: "mine", padding: 2 }, state, () => ({ state }));
    // It first writes what the command reads.
    for (let tries = 0; tries < 20; tries++) await settled();
  };
  const until = async (runs: number) => {
    while (started.length < runs) await settled();
  };
  await update("a");
  await update("a");
  await until(1);
  await update("b");
  await update("c");
  expect(started).toHaveLength(1);
  started[0]?.end({ stdout: "one\u001b[2J\n\ttwo\n3\n4\n" });
  await settled();
  while (changes === 0) await settled();
  expect(command.rows).toEqual(["  one", "    two", "  3"]);
  expect(started).toHaveLength(1);
  await clock.advance(300);
  await until(2);
  expect(started[1]?.request.args.slice(0, 1)).toEqual(["-c"]);
  started[1]?.end({ exitCode: 1, stderr: "broken" });
  while (problems.length === 0) await settled();
  expect(problems[0]).toContain("ended with exit code 1: broken");
  expect(command.rows).toEqual(["  one", "    two", "  3"]);
  await clock.advance(10_000);
  await update("c");
  expect(started).toHaveLength(2);
});
