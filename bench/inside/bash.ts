import { readFileSync, writeFileSync } from "node:fs";
import { type ContentBlock, noUsage } from "../../src/mailbox/conversation.ts";
import type { ModelClient, ModelOutcome } from "../../src/model/client.ts";
import { startBareSpawner } from "../bare-spawn.ts";
import { cpuMs, startedHere } from "../cpu.ts";
import { answer, given } from "../own-process.ts";

/** Commands of one real agent of a built session, with others beside it. */
export interface BashTask {
  readonly cwd: string;
  readonly home: string;
  /** Agents that wait for their model meanwhile. */
  readonly live: number;
  readonly calls: number;
  /** What one more command writes. */
  readonly megabytes: number;
  /** Commands that only read are confined. */
  readonly confined: boolean;
}

export interface BashRun {
  /** Milliseconds of each call: from the verdict until its result is told. */
  readonly calls: readonly number[];
  /** Of a bare spawn from an empty process, in turn with the calls. */
  readonly bare: readonly number[];
  /** Growth of this process and the process host while the command wrote: the sum of their peaks. */
  readonly growthMiB: number;
  /** Processes whose memory was looked at; none where the system does not tell of any. */
  readonly looked: number;
  /** Processor time of all calls and of all bare spawns, with that of what they ran; null: not known. */
  readonly cpuMs: number | null;
  readonly bareCpuMs: number | null;
}

const { cwd, home, live, calls, megabytes, confined } = given<BashTask>();
const dist = new URL("../../dist/index.js", import.meta.url).href;
const { Session }: typeof import("../../src/index.ts") = await import(dist);

const UNCOUNTED = 3;
const BARE = { file: "/bin/bash", args: ["--noprofile", "--norc", "-c", "true"], cwd };
const spawner = startBareSpawner();
const bare: number[] = [];
const took: number[] = [];
let began = 0;
let before: readonly Memory[] = [];
let growthMiB = 0;
let cpuAtCall = 0;
let cpu = 0;
let bareCpu = 0;

const flood = `yes 'a line that is written again and again' | head -c ${megabytes * 1_000_000}`;

let turn = 0;

async function mainTurn(): Promise<ModelOutcome> {
  turn += 1;
  if (turn <= calls + UNCOUNTED) {
    const at = cpuMs([spawner.pid]);
    bare.push((await spawner.run(BARE)).ms);
    if (turn > UNCOUNTED) bareCpu += (cpuMs([spawner.pid]) ?? 0) - (at ?? 0);
    // Another command each time: the same again and again is a circle, which ends the agent.
    return bashCall(`true ${turn}`);
  }
  if (turn > calls + UNCOUNTED + 1) return reply({ type: "text", text: "Done.", citations: null });
  before = ours().map(fromNowOn);
  return bashCall(flood);
}

function bashCall(command: string): ModelOutcome {
  const input = { command, timeout: 60_000 };
  return reply({ type: "tool_use", id: `call_${turn}`, name: "Bash", input, caller: { type: "direct" } });
}

function reply(block: ContentBlock): ModelOutcome {
  const stopReason = block.type === "text" ? "end_turn" : "tool_use";
  return {
    type: "reply",
    reply: { content: [block], stopReason, usage: noUsage, model: "measured", apiMs: 0 },
  };
}

/** Answers the main conversation; everybody else waits until the session is closed. */
const client: ModelClient = {
  name: "measured",
  ask(request, _, signal) {
    if (request.actor === "main") return mainTurn();
    if (++waiting === live) asleep.resolve();
    return new Promise((resolve) => {
      const failure = { kind: "cancelled", message: "The session was closed." } as const;
      signal.addEventListener("abort", () => resolve({ type: "failure", failure }), { once: true });
    });
  },
};

const asleep = Promise.withResolvers<void>();
let waiting = 0;
const session = new Session({
  cwd,
  home,
  permissions: confined ? { allowedTools: ["Bash(yes:*)"] } : { mode: "bypassPermissions" },
  limits: { maxAgents: Math.max(1, live), maxTurns: 10_000 },
  model: { provider: "client", client },
});
void (async () => {
  for await (const event of session.events()) {
    if (event.type !== "agent" || event.view.id !== "main") continue;
    const isRunning = event.view.activity.type === "tool" && event.view.activity.tool === "Bash";
    if (isRunning && began === 0) {
      cpuAtCall = cpuMs(ours()) ?? 0;
      began = performance.now();
    }
    if (isRunning || began === 0) continue;
    took.push(performance.now() - began);
    if (took.length > UNCOUNTED && took.length <= UNCOUNTED + calls) cpu += (cpuMs(ours()) ?? 0) - cpuAtCall;
    began = 0;
    if (turn === calls + UNCOUNTED + 1) growthMiB = grown();
  }
})();
const agents = Array.from({ length: live }, () => session.spawn({ prompt: "Wait." }));
if (live > 0) await asleep.promise;
const { summary } = await session.prompt("Run true, again and again.");
if (summary.status !== "done")
  throw new Error(`The measured agent ended ${summary.status}: ${summary.reason}`);
await session.close();
await Promise.all(agents);
spawner.stop();
await answer({
  calls: took.slice(UNCOUNTED, UNCOUNTED + calls),
  bare: bare.slice(UNCOUNTED),
  growthMiB,
  looked: before.length,
  cpuMs: before.length === 0 ? null : cpu,
  bareCpuMs: before.length === 0 ? null : bareCpu,
} satisfies BashRun);

interface Memory {
  readonly pid: number;
  readonly kB: number;
}

/** What it holds now; the system's own note of its peak begins anew, so that no sample can miss it. */
function fromNowOn(pid: number): Memory {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  return { pid, kB: memory(pid, "VmRSS") };
}

function grown(): number {
  const kB = before.reduce((sum, { pid, kB }) => sum + memory(pid, "VmHWM") - kB, 0);
  return kB / 1024;
}

/** This process and the process host; what a command uses is not ours. None where the system tells nothing. */
function ours(): number[] {
  return process.platform === "linux" ? [process.pid, ...startedHere([spawner.pid])] : [];
}

function memory(pid: number, what: "VmRSS" | "VmHWM"): number {
  const line = new RegExp(`^${what}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (line === null) throw new Error(`/proc/${pid}/status does not say ${what}.`);
  return Number(line[1]);
}
