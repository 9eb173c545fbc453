import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ContentBlock, noUsage } from "../../src/mailbox/conversation.ts";
import type { ModelClient, ModelOutcome } from "../../src/model/client.ts";
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
}

export interface BashRun {
  /** Milliseconds of each call: from the verdict until its result is told. */
  readonly calls: readonly number[];
  /** Of a bare spawn from an empty process, in turn with the calls. */
  readonly bare: readonly number[];
  /** Growth of this process and the process host together while the command wrote, at its peak. */
  readonly growthMiB: number;
}

const { cwd, home, live, calls, megabytes } = given<BashTask>();
const dist = new URL("../../dist/index.js", import.meta.url).href;
const { Supervisor }: typeof import("../../src/index.ts") = await import(dist);

const UNCOUNTED = 3;
const helper = fork(new URL("./bare-bash.ts", import.meta.url));
const bare: number[] = [];
const took: number[] = [];
let began = 0;
let watch: { stop(): number } | null = null;
let growthMiB = 0;

async function bareSpawn(): Promise<void> {
  const [ms] = await once(helper, "message", { signal: AbortSignal.timeout(10_000), ...told() });
  bare.push(Number(ms));
}

/** The question is sent when the answer is listened for. */
function told(): object {
  helper.send("go");
  return {};
}

const flood = `yes 'a line that is written again and again' | head -c ${megabytes * 1_000_000}`;

let turn = 0;

async function mainTurn(): Promise<ModelOutcome> {
  turn += 1;
  if (turn <= calls + UNCOUNTED) {
    await bareSpawn();
    return bashCall("true");
  }
  if (turn > calls + UNCOUNTED + 1) return reply({ type: "text", text: "Done.", citations: null });
  watch = watchMemory();
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
const supervisor = new Supervisor({
  cwd,
  home,
  permissionMode: "bypassPermissions",
  limits: { maxAgents: Math.max(1, live), maxTurns: 10_000 },
  source: { provider: "client", client },
  onEvent(event) {
    if (event.type !== "agent" || event.view.id !== "main") return;
    const isRunning = event.view.activity.type === "tool" && event.view.activity.tool === "Bash";
    if (isRunning && began === 0) began = performance.now();
    if (isRunning || began === 0) return;
    took.push(performance.now() - began);
    began = 0;
    growthMiB = watch?.stop() ?? growthMiB;
    watch = null;
  },
});
const agents = Array.from({ length: live }, () => supervisor.spawn({ prompt: "Wait." }));
if (live > 0) await asleep.promise;
const { summary } = await supervisor.prompt("Run true, again and again.");
if (summary.status !== "done")
  throw new Error(`The measured agent ended ${summary.status}: ${summary.reason}`);
await supervisor.close();
await Promise.all(agents);
helper.kill();
await answer({
  calls: took.slice(UNCOUNTED, UNCOUNTED + calls),
  bare: bare.slice(UNCOUNTED),
  growthMiB,
} satisfies BashRun);

function watchMemory(): { stop(): number } {
  const before = ourMiB();
  let peak = before;
  const look = setInterval(() => {
    peak = Math.max(peak, ourMiB());
  }, 5);
  return {
    stop() {
      clearInterval(look);
      return Math.max(peak, ourMiB()) - before;
    },
  };
}

/** This process, and the node processes below it; what a command uses is not ours. */
function ourMiB(): number {
  return process.memoryUsage.rss() / 2 ** 20 + hosts().reduce((sum, pid) => sum + rssMiB(pid), 0);
}

function hosts(): string[] {
  try {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
    return children.split(" ").filter((pid) => pid !== "" && pid !== String(helper.pid));
  } catch {
    return []; // Only Linux tells.
  }
}

function rssMiB(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1] ?? 0) / 256;
  } catch {
    return 0;
  }
}
