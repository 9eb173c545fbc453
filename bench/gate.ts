import { setTimeout as pause } from "node:timers/promises";
import { openGate, openPermissions, openRules, toolSwitch } from "../src/features/gate/permissions.ts";
import { systemClock } from "../src/lib/clock.ts";
import { callId, MAIN } from "../src/mailbox/ids.ts";
import type { Services } from "../src/mailbox/services.ts";
import { AddedDirs } from "../src/policy/confinement/write-scope.ts";
import { hookRunner } from "../src/policy/hooks/hook-runner.ts";
import { defaultSandboxSettings } from "../src/policy/sandbox/sandbox.ts";
import type { Rule } from "../src/settings/permissions.ts";
import { noSession, sessionTools } from "../src/tools/session-tools.ts";
import { Toolbox } from "../src/tools/toolbox.ts";
import { onFreshGround } from "./folders.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { interleaved, median, p95, quantile } from "./samples.ts";

const AGENTS = 64;
const EVERY_MS = 100;

/** What the gate adds to a call, without the journal and without hooks. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  return onFreshGround(async ({ cwd }) => {
    const before = gateOf(cwd);
    const asks = quick ? 200 : 1000;
    const once = async () => median(await ask(before, { count: asks, everyMs: 0, cwd }));
    const { gate } = await interleaved(quick ? 3 : 9, { gate: once });
    const late = await lateness(before, cwd, quick ? 10 : 40);
    return [
      {
        name: "the gate's part of a call",
        unit: "µs",
        ours: median(gate) * 1000,
        floor: null,
        target: atMost(300),
        note: "200 rules",
      },
      {
        name: `main-loop lateness p99 while ${AGENTS} agents ask ten times a second`,
        unit: "ms",
        ours: quantile(late, 0.99),
        floor: null,
        target: atMost(30),
        note: p95(late),
      },
    ];
  });
}

function gateOf(cwd: string): Services["before"] {
  const nobody = async () => {
    throw new Error("nobody asks for this here");
  };
  const actors = {
    find: () => undefined,
    all: () => [],
    stop() {},
    whileWaiting: <T>(_: unknown, other: Promise<T>) => other,
    tell() {},
    changed() {},
  };
  const session = { id: "bench", transcriptPath: "/", projectDir: cwd, dir: "/nonexistent" };
  const hooks = hookRunner({
    ...{ hooks: new Map(), run: nobody, session, clock: systemClock },
    onProblem() {},
    onMessage() {},
    onLater() {},
    models: async () => null,
  });
  const options = { rules: twoHundred(), permissionMode: "default" as const };
  const common = { options, rules: openRules(options, [cwd]), hooks, onWarning() {} };
  const toolbox = new Toolbox(toolSwitch(common.rules, false));
  toolbox.fill({ ours: sessionTools(noSession), custom: [] });
  const { gate } = openGate({
    ...{ ...common, toolbox, cwd, added: new AddedDirs([]), readable: [], shell: "bash" },
    permissions: openPermissions({ ...common, actors, user: null, cwd }),
    planFile: () => "/plans/plan-1.md",
    sandbox: { settings: defaultSandboxSettings, report: async () => null, prepare: async () => null },
    tracked: { clock: systemClock, worktrees: { everTracked: nobody } },
  });
  const signal = new AbortController().signal;
  const scope = { root: cwd, additionalDirs: [], tree: null };
  return async ({ cwd: where, ...call }) => {
    const tool = toolbox.find(call.tool);
    if (!tool) throw new Error(`no tool ${call.tool}`);
    const judged = await gate.judge({ actor: MAIN, call, tool, cwd: where, scope }, signal);
    if (judged.type !== "go") throw new Error(`refused: ${judged.reason}`);
    return { type: "go" };
  };
}

/** One agent: asks `count` times, so many milliseconds apart (0: one after the other); returns how long each took. */
async function ask(
  before: Services["before"],
  { count, everyMs, cwd }: { readonly count: number; readonly everyMs: number; readonly cwd: string },
): Promise<number[]> {
  const times: number[] = [];
  // Agents do not all ask in the same moment.
  await pause(Math.random() * everyMs);
  for (let n = 0; n < count; n++) {
    const input = { file_path: `${cwd}/src/a.ts` };
    const began = performance.now();
    await before({ id: callId(MAIN, n, 0), toolUse: `toolu_${n}`, tool: "Read", input, cwd });
    times.push(performance.now() - began);
    if (everyMs > 0) await pause(everyMs);
  }
  return times;
}

/** How late this thread's own timers fire meanwhile. */
async function lateness(before: Services["before"], cwd: string, count: number): Promise<number[]> {
  const late: number[] = [];
  let due = performance.now() + 5;
  const timer = setInterval(() => {
    const now = performance.now();
    late.push(Math.max(0, now - due));
    due = now + 5;
  }, 5);
  await Promise.all(Array.from({ length: AGENTS }, () => ask(before, { count, everyMs: EVERY_MS, cwd })));
  clearInterval(timer);
  return late.length > 0 ? late : [0];
}

function twoHundred(): Rule[] {
  const rules = (behaviour: Rule["behaviour"], count: number, text: (at: number) => string): Rule[] =>
    Array.from({ length: count }, (_, at) => ({ text: text(at), behaviour, scope: "project" }));
  return [
    ...rules("allow", 100, (at) => `Bash(node tool${at}.js:*)`),
    ...rules("ask", 40, (at) => `Bash(git push origin branch${at}*)`),
    ...rules("deny", 60, (at) => `Read(secrets${at}/**)`),
  ];
}
