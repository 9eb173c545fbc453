import { MessageChannel, Worker } from "node:worker_threads";
import { openGate, openPermissions, openRules, toolSwitch } from "../src/features/gate/permissions.ts";
import { systemClock } from "../src/mailbox/clock.ts";
import { MAIN } from "../src/mailbox/ids.ts";
import { serveServices } from "../src/mailbox/service-rpc.ts";
import type { Services } from "../src/mailbox/services.ts";
import { hookRunner } from "../src/policy/hooks/runner.ts";
import { defaultSandboxSettings } from "../src/policy/sandbox/sandbox.ts";
import type { Rule } from "../src/settings/rules.ts";
import { Toolbox } from "../src/supervisor/toolbox.ts";
import { noSession, sessionTools } from "../src/tools/session-tools.ts";
import { servicesWith } from "../test/support/unasked-services.ts";
import { onFreshGround } from "./folders.ts";
import type { AskingErrand } from "./inside/asking-agents.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { interleaved, median, p95, quantile } from "./samples.ts";

const AGENTS = 64;
const EVERY_MS = 100;

/** What the gate adds to a call from an agent's thread, without the journal and without hooks. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  return onFreshGround(async ({ cwd }) => {
    const before = gateOf(cwd);
    const letGo: Services["before"] = async () => ({ type: "go" });
    const worker = new Worker(new URL("./inside/asking-agents.ts", import.meta.url));
    try {
      const asks = quick ? 200 : 1000;
      const once = (serve: Services["before"]) => async () =>
        median(await asking(worker, serve, { count: asks, everyMs: 0, cwd }));
      const { gate, bare } = await interleaved(quick ? 3 : 9, { gate: once(before), bare: once(letGo) });
      const late = await lateness(before, cwd, quick ? 10 : 40);
      return [
        {
          name: "the gate's part of a call from a worker",
          unit: "µs",
          ours: Math.max(0, median(gate) - median(bare)) * 1000,
          floor: null,
          target: atMost(300),
          note: `${Math.round(median(gate) * 1000)} µs with it, ${Math.round(median(bare) * 1000)} without; 200 rules`,
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
    } finally {
      await worker.terminate();
    }
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
  });
  const options = { rules: twoHundred(), permissionMode: "default" as const };
  const common = { options, rules: openRules(options), hooks, onWarning() {} };
  const toolbox = new Toolbox(toolSwitch(common.rules, false));
  toolbox.fill({ ours: sessionTools(noSession), foreign: [] });
  const { gate } = openGate({
    ...{ ...common, toolbox, folders: [cwd], readable: [], shell: "bash" },
    permissions: openPermissions({ ...common, actors, user: null, cwd }),
    planFile: () => "/plans/plan-1.md",
    sandbox: { settings: defaultSandboxSettings, report: async () => null, prepare: async () => null },
    tracked: { clock: systemClock, worktrees: { everTracked: nobody } },
  });
  const signal = new AbortController().signal;
  const territory = { root: cwd, additionalDirs: [], tree: null };
  return async ({ cwd: where, ...call }) => {
    const tool = toolbox.find(call.tool);
    if (!tool) throw new Error(`no tool ${call.tool}`);
    const judged = await gate.judge({ actor: MAIN, call, tool, cwd: where, territory }, signal);
    if (judged.type !== "go") throw new Error(`refused: ${judged.reason}`);
    return { type: "go" };
  };
}

function asking(
  worker: Worker,
  before: Services["before"],
  errand: Omit<AskingErrand, "port" | "answer">,
): Promise<number[]> {
  const { port1, port2 } = new MessageChannel();
  serveServices(servicesWith({ before }), port1);
  const answers = new MessageChannel();
  const times = new Promise<number[]>((resolve) => answers.port1.once("message", resolve));
  const sent: AskingErrand = { ...errand, port: port2, answer: answers.port2 };
  worker.postMessage(sent, [port2, answers.port2]);
  return times.finally(() => {
    port1.close();
    answers.port1.close();
  });
}

/** How late this thread's own timers fire meanwhile. */
async function lateness(before: Services["before"], cwd: string, count: number): Promise<number[]> {
  const workers = Array.from(
    { length: 4 },
    () => new Worker(new URL("./inside/asking-agents.ts", import.meta.url)),
  );
  const late: number[] = [];
  let due = performance.now() + 5;
  const timer = setInterval(() => {
    const now = performance.now();
    late.push(Math.max(0, now - due));
    due = now + 5;
  }, 5);
  try {
    await Promise.all(
      Array.from({ length: AGENTS }, (_, n) => {
        const worker = workers[n % workers.length];
        if (!worker) throw new Error("no worker");
        return asking(worker, before, { count, everyMs: EVERY_MS, cwd });
      }),
    );
  } finally {
    clearInterval(timer);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
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
