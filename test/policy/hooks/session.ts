import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { HookCaller } from "../../../src/policy/hooks/hook-results.ts";
import { hookRunner } from "../../../src/policy/hooks/hook-runner.ts";
import type { HookModels } from "../../../src/policy/hooks/model-hook.ts";
import { parseHooks } from "../../../src/policy/hooks/parse-hooks.ts";
import type { HookPorts } from "../../../src/policy/hooks/run-event.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import type { HookEvent } from "../../../src/settings/hook-events.ts";
import type { Scope } from "../../../src/settings/permissions.ts";
import { temporaryFolder } from "../../support/temporary.ts";

export interface Entry {
  readonly type?: "prompt" | "agent";
  readonly command?: string;
  readonly prompt?: string;
  readonly model?: string;
  readonly matcher?: string;
  readonly if?: string;
  readonly async?: boolean;
  readonly asyncRewake?: boolean;
  readonly timeout?: number;
  readonly failClosed?: boolean;
  readonly scope?: Scope;
  readonly once?: boolean;
  /** The file of the skill that has it. */
  readonly skill?: string;
}

/** Starts one process host for a file of tests, since that takes longer than most hooks. */
export function startHooks() {
  const processes = startProcesses({ env: { ...process.env, ANTHROPIC_API_KEY: "sk-secret" } });
  afterAll(() => processes.close());
  return (event: HookEvent, entries: readonly Entry[], eventFolder?: string, models: Models = null) =>
    hooksOf(processes, event, entries, models, eventFolder);
}

type Models = HookModels | null | (() => never);
type Later = Parameters<HookPorts["onLater"]>;

/** Hooks of a real settings value, run by a real process host. */
function hooksOf(
  processes: ReturnType<typeof startProcesses>,
  event: HookEvent,
  entries: readonly Entry[],
  models: Models,
  eventFolder = "events",
) {
  const folder = realpathSync(temporaryFolder());
  const problems: string[] = [];
  const messages: string[] = [];
  const heard: Later[] = [];
  const first = { later: Promise.withResolvers<Later>(), problem: Promise.withResolvers<string>() };
  const { hooks, problems: wrong } = parseHooks(
    entries.map(({ matcher = "", scope = "user", skill, ...entry }) => ({
      ...(skill === undefined ? {} : { skill }),
      scope,
      file: `/settings/${scope}.json`,
      value: { [event]: [{ matcher, hooks: [{ type: "command", ...entry }] }] },
    })),
  );
  expect(wrong).toEqual([]);
  const events = join(folder, eventFolder);
  const ports: HookPorts = {
    hooks,
    run: processes.run,
    models: async () => (typeof models === "function" ? models() : models),
    session: {
      id: "s1",
      model: "sonnet",
      transcriptPath: "/t/journal.jsonl",
      projectDir: folder,
      dir: events,
    },
    clock: systemClock,
    onProblem(message) {
      problems.push(message);
      first.problem.resolve(message);
    },
    onMessage: (message) => messages.push(message),
    onLater(...later) {
      heard.push(later);
      first.later.resolve(later);
    },
  };
  const runner = hookRunner(ports);
  const caller: HookCaller = { owner: MAIN, cwd: folder, permissionMode: "default" };
  return {
    folder,
    ports,
    runner,
    problems,
    messages,
    heard,
    /** What an asynchronous hook says first. */
    later: () => first.later.promise,
    /** The first problem. */
    problem: () => first.problem.promise,
    caller,
    processes,
    eventsLeft: () => readdirSync(events),
  };
}

/** A shell command that prints this as JSON. */
export const printing = (value: unknown) => `printf %s '${JSON.stringify(value)}'`;

export const edit = {
  names: ["Edit", "MultiEdit"] as [string, ...string[]],
  input: { file_path: "/a", text: "ü\n\"'" },
  toolUseId: "toolu_1",
};

export const never = new AbortController().signal;
