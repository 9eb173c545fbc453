import { openLiveSocket } from "../../src/features/live/live-socket.ts";
import { systemClock } from "../../src/mailbox/clock.ts";
import { ActorId, CallId, MAIN, SessionId } from "../../src/mailbox/ids.ts";
import type { ActorSpec } from "../../src/mailbox/messages.ts";
import { type Actor, createActor } from "../../src/supervisor/actor-record.ts";
import { viewOf } from "../../src/supervisor/actor-view.ts";
import type { AgentView } from "../../src/supervisor/view.ts";
import { given } from "../own-process.ts";

/**
 * A session as far as its tree goes: so many agents that are at work all the time, and the socket. It runs until
 * it is told to measure, and answers each time with the processor time it took.
 */
export interface LiveSessionTask {
  readonly agents: number;
  readonly home: string;
  readonly cwd: string;
}

export type FromLiveSession =
  | { readonly type: "listens"; readonly path: string }
  /** Milliseconds of processor time of the whole process, and of the clock. */
  | { readonly type: "measured"; readonly cpuMs: number; readonly wallMs: number }
  /** Microseconds for the views of all agents. */
  | { readonly type: "tree"; readonly us: number };

export type ToLiveSession = { readonly type: "measure"; readonly ms: number } | { readonly type: "tree" };

const { agents: count, home, cwd } = given<LiveSessionTask>();
const clock = systemClock;
const agents = Array.from({ length: count }, (_, n) => agentAtWork(n));
const tree = (): readonly AgentView[] => agents.map(viewOf);

// A tenth of a second of work: every agent gives a sign, one in five begins another call or takes a turn.
let step = 0;
setInterval(() => {
  step += 1;
  for (const [n, agent] of agents.entries()) {
    agent.noteSign(clock.now());
    if ((n + step) % 5 === 0) work(agent, step);
  }
}, 100);

const live = openLiveSocket({
  ...{ session: SessionId.parse("benchmark0"), home, cwd, model: "offline", clock, delayMs: 0 },
  tree,
  costUsd: () => step / 1000,
  onWarning(message) {
    throw new Error(message);
  },
});
const path = await live.opened;
if (path === null) throw new Error("The session has no socket.");
send({ type: "listens", path });

process.on("message", (message: ToLiveSession) => {
  switch (message.type) {
    case "measure":
      return measure(message.ms);
    case "tree":
      return send({ type: "tree", us: treeUs() });
    default:
      return message satisfies never;
  }
});
process.on("disconnect", () => process.exit());

function measure(ms: number): void {
  const cpu = process.cpuUsage();
  const began = clock.now();
  setTimeout(() => {
    const { user, system } = process.cpuUsage(cpu);
    send({ type: "measured", cpuMs: (user + system) / 1000, wallMs: clock.now() - began });
  }, ms);
}

function treeUs(): number {
  const rounds = 200;
  for (let round = 0; round < rounds; round++) tree();
  const began = clock.now();
  for (let round = 0; round < rounds; round++) tree();
  return ((clock.now() - began) * 1000) / rounds;
}

function work(agent: Actor, turn: number): void {
  for (const call of agent.calls.keys()) agent.removeCall(call);
  agent.addCall(CallId.parse(`${agent.id}.${turn}.0`), {
    ...{ tool: "Grep", title: `"wire format ${turn}" in src/mailbox`, outside: false },
  } as never);
  const tokens = { input_tokens: 1200, output_tokens: 80 };
  const usage = { ...tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 9000 };
  const receipts = { tools: {}, files: [], commands: [] };
  agent.takeTurn({ turn, heard: [], messages: [], cwd, reads: [], usage, receipts });
  agent.charge(usage, 0.001);
}

function agentAtWork(n: number): Actor {
  const spec: ActorSpec = {
    ...{
      id: ActorId.parse(`agent${n}`),
      parent: MAIN,
      depth: 1,
      attempt: 1,
      type: "Explore",
      model: "offline",
    },
    ...{
      description: `where is the wire format decided, part ${n}`,
      system: [],
      tools: [],
      maxTokens: 16_000,
    },
    ...{ maxTurns: 100, root: cwd, additionalDirs: [], messages: [], turns: [], heard: [] },
  };
  const actor = createActor(spec, clock.now());
  actor.start(clock.now());
  actor.advance({ type: "slot" });
  actor.advance({ type: "alive" });
  return actor;
}

function send(message: FromLiveSession): void {
  process.send?.(message);
}
