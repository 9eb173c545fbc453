import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { sessionHooks } from "../../../src/features/hooks/session-hooks.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { MAIN, SessionId } from "../../../src/mailbox/ids.ts";
import type { RunRequest } from "../../../src/mailbox/runs.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

test("a session that is resumed removes what its killed process lent to hooks", () => {
  const folder = temporaryFolder();
  const left = join(folder, "hooks", "276cbc89.json");
  mkdirSync(join(folder, "hooks"));
  writeFileSync(left, '{"tool_input":{"content":"a secret"}}');
  const never = () => Promise.reject(new Error("Nothing runs here."));
  sessionHooks({
    ...{ sources: [], ofAgents: [], session: SessionId.parse("session1"), model: "m", folder, cwd: folder },
    ...{
      processes: { run: never },
      options: { source: { provider: "offline" } },
      ask: never,
      runAgent: never,
    },
    ...{
      actors: { find: () => undefined, notify() {} },
      clock: systemClock,
      onWarning() {},
      needDir: async () => {},
    },
  });
  expect(existsSync(left)).toBe(false);
});

const idleHooks = {
  ...{ scope: "user" as const, file: "/u/settings.json" },
  value: { Notification: [{ matcher: "idle_prompt", hooks: [{ type: "command", command: "cat >> idle" }] }] },
};

test("hooks of idle_prompt run after a minute, unless the user is back, something works, or the session has ended", async () => {
  const folder = temporaryFolder();
  const clock = new FakeClock();
  const read: string[] = [];
  const never = () => Promise.reject(new Error("Nothing is asked here."));
  const hooks = sessionHooks({
    ...{ sources: [idleHooks], ofAgents: [], session: SessionId.parse("session1"), model: "m" },
    ...{ folder, cwd: folder, options: { source: { provider: "offline" } }, ask: never, runAgent: never },
    processes: {
      async run({ id, args }: Pick<RunRequest, "id" | "args">) {
        read.push(readFileSync(args[3] ?? "", "utf8"));
        const ended = { outcome: "exited", exitCode: 0, signal: null, stdout: "", stderr: "" } as const;
        return { ...ended, id, truncated: false, durationMs: 0 };
      },
    },
    ...{ actors: { find: () => undefined, notify() {} }, clock, onWarning() {}, needDir: async () => {} },
  });
  const caller = { owner: MAIN, cwd: folder, permissionMode: "default" as const };
  const waitOneMinute = async (isBusy = false) => {
    hooks.startIdle(caller, () => isBusy);
    await clock.advance(60_000);
    await vi.waitFor(() => expect(clock.pending).toBe(0));
  };
  await waitOneMinute();
  await vi.waitFor(() => expect(read).toHaveLength(1));
  expect(JSON.parse(read[0] ?? "")).toMatchObject({
    ...{ hook_event_name: "Notification", notification_type: "idle_prompt" },
    message: "Troupe waits for your input.",
  });
  await waitOneMinute(true);
  hooks.startIdle(caller, () => false);
  hooks.stopIdle();
  hooks.startIdle(caller, () => false);
  await hooks.sessionEnd("other", caller, new AbortController().signal);
  await clock.advance(120_000);
  expect(read).toHaveLength(1);
});

test("a conversation that has answered waits for its user, and no longer when the user writes", async () => {
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    after(ms: number, call: () => void) {
      if (ms !== 60_000) return systemClock.after(ms, call);
      waits.push(1);
      return () => waits.pop();
    },
  };
  const session = (background: "wake" | "wait") =>
    supervised("in-thread", () => ({ text: "ok" }), {
      ...{ clock, background, hooks: [idleHooks] },
      limits: { stuckMs: 70_000, backgroundMs: 70_000 },
    }).supervisor;
  await session("wait").prompt("go");
  expect(waits).toHaveLength(0);
  const conversation = session("wake");
  await conversation.prompt("go");
  expect(waits).toHaveLength(1);
  await conversation.prompt("more");
  expect(waits).toHaveLength(1);
  await conversation.close();
  expect(waits).toHaveLength(0);
});
