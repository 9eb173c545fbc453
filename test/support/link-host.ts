import { runActor } from "../../src/actors/actor.ts";
import { checkData } from "../../src/actors/check-data.ts";
import type { ActorHost, ActorStart, SessionSide } from "../../src/actors/hosts.ts";
import { openMessage, sealMessage } from "../../src/engine/messages.ts";
import { createSeal } from "../../src/engine/seal.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { errorMessage } from "../../src/lib/errors.ts";
import { SessionId } from "../../src/mailbox/ids.ts";
import { type ReliableChannel, reliableChannel } from "../../src/mailbox/rpc/reliable-channel.ts";
import { receive, sender } from "../../src/mailbox/rpc/server.ts";
import {
  type AttemptId,
  agentNotices,
  type attemptNotices,
  HEARTBEAT_MS,
  nameAttempt,
  OfferedSpec,
  type RunnerExit,
  type RunnerInfo,
  type RunnerRules,
  ToRunner,
  type ToSession,
  topics,
  unpackKit,
  withKit,
} from "../../src/mailbox/runners.ts";
import { GatewayClient } from "../../src/model/gateway-client.ts";
import { RemoteHost } from "../../src/remote/remote-host.ts";
import { agentTools } from "../../src/tools/index.ts";
import { moduleTool } from "../../src/tools/tool-module.ts";
import { type Faults, MemoryEngine } from "./memory-carrier.ts";
import { sessionServices } from "./session-services.ts";

const SESSION = SessionId.parse("link");
const FLEET_KEY = new Uint8Array(32).fill(1);
const sealer = createSeal(FLEET_KEY, SESSION);
const own = new Map(agentTools.map((tool) => [tool.name, tool]));

/** Milliseconds that pass at most between two looks at the clock: a busy machine stalls this thread for as long as a lease. */
const LONGEST_STALL_MS = 15_000;

/** A second of it passes in five milliseconds: what is lost is noticed within the test's patience. */
export const fastClock: Clock = {
  now: fastNow(),
  date: () => new Date().toISOString(),
  after(ms, call) {
    const timer = setTimeout(call, ms / 200);
    return () => clearTimeout(timer);
  },
};

function fastNow(): () => number {
  let [looked, time] = [performance.now(), 0];
  return () => {
    const at = performance.now();
    time += Math.min((at - looked) * 200, LONGEST_STALL_MS);
    looked = at;
    return time;
  };
}

export interface LinkOptions {
  readonly maxAgents?: number;
  readonly random: () => number;
  readonly faults?: Faults;
  readonly clock?: Clock;
  /** Is called before each connection of the session; one that throws is refused. */
  readonly onConnect?: () => void;
}

/** An engine in memory with a session on one side and runners on the other, all in this thread. */
export interface Link {
  readonly engine: MemoryEngine;
  readonly host: ActorHost;
  /** What the session said to its user. */
  readonly warnings: readonly string[];
  /** Ends the session's connection, as when ssh dies: what was offered over it is gone. */
  loseConnection(): void;
  /** The mode of the session, as its runners get it. */
  setMode(mode: RunnerRules["mode"]): void;
  /** The rules that runners got after their offer. */
  readonly rulesSeen: readonly RunnerRules[];
  /** Connects a runner. What its agents run in processes comes from the session, as they share a machine. */
  addRunner(name: string, options?: LinkRunnerOptions): LinkRunner;
}

export interface LinkRunnerOptions {
  /** False: it boards its agents, and never gets further. */
  readonly begins?: boolean;
  readonly pools?: readonly string[];
}

export interface LinkRunner {
  /** It is gone at once, with all its agents. */
  kill(): void;
}

/** A host whose actors run across a carrier that loses, repeats, delays and reorders as it is told. */
export function openLink({
  random,
  faults,
  maxAgents,
  clock = systemClock,
  onConnect = () => {},
}: LinkOptions): Link {
  const engine = new MemoryEngine({ random, clock, ...(faults ? { faults } : {}) });
  const starts = new Map<string, ActorStart>();
  const rulesSeen: RunnerRules[] = [];
  const warnings: string[] = [];
  let loseConnection = () => {};
  let mode: RunnerRules["mode"] = "default";
  const elsewhere: SessionSide = {
    offer: { version: "test", files: null },
    sendFiles: async () => ({ repository: "", commit: "", bundle: null }),
    takeEdits: async () => {},
    endTravel() {},
    hasNewFiles: () => false,
    paid() {},
    rules: () => ({ mode, rules: [] }),
  };
  const remote = new RemoteHost({
    ...{ session: SESSION, clock },
    ...(maxAgents === undefined ? {} : { maxAgents }),
    async connect() {
      onConnect();
      const carrier = engine.connect("session");
      const ended = new Promise<string>((resolve) => {
        loseConnection = () => {
          engine.kill("session");
          engine.loseData();
          resolve("The connection to far was lost.");
        };
      });
      return { carrier, fleetKey: FLEET_KEY, ended };
    },
    onWarning: (message) => void warnings.push(message),
  });
  const runners: LinkRunner[] = [];
  const host: ActorHost = {
    start(start) {
      const { id: actor, attempt } = start.spec;
      starts.set(nameAttempt({ session: SESSION, actor, attempt }), start);
      return remote.start({ ...start, elsewhere });
    },
    warm: () => {},
    load: () => remote.load(),
    async close() {
      await remote.close();
      for (const runner of runners) runner.kill();
    },
  };
  return {
    ...{ engine, host, rulesSeen, warnings },
    loseConnection: () => loseConnection(),
    setMode(next) {
      mode = next;
    },
    addRunner(name, { begins = true, pools = ["default"] } = {}) {
      const runner = addRunner(engine, name, { clock, starts, rulesSeen, begins, pools });
      runners.push(runner);
      return runner;
    },
  };
}

interface LinkParts {
  readonly clock: Clock;
  readonly starts: Map<string, ActorStart>;
  readonly rulesSeen: RunnerRules[];
  readonly begins: boolean;
  readonly pools: readonly string[];
}

function addRunner(engine: MemoryEngine, name: string, parts: LinkParts): LinkRunner {
  const { clock, starts, pools } = parts;
  const carrier = engine.connect(name);
  const channels = new Map<string, ReliableChannel>();
  const attempts = new Map<string, { readonly id: AttemptId; end(): void }>();
  let isGone = false;
  let withdrawBeat = () => {};
  const info = (): RunnerInfo => ({
    ...{ id: name, name, pools: [...pools], slots: 1000, used: attempts.size, version: "test" },
    ...{ sandbox: "", draining: false, load: 0 },
  });
  const tell = async (message: ToSession) => {
    const topic = topics.session(SESSION);
    if (!isGone)
      await carrier.publish(
        topic,
        await sealMessage(carrier, sealer, SESSION, topic, JSON.stringify(message)),
      );
  };
  const beat = () => {
    if (isGone) return;
    void tell({ type: "beat", runner: info(), attempts: [...attempts.values()].map(({ id }) => id) }).catch(
      () => {},
    );
    withdrawBeat = clock.after(HEARTBEAT_MS, beat);
  };
  const topic = topics.runner(name);
  void carrier.listen(topic, async (raw) => {
    const opened = await openMessage(carrier, () => sealer, topic, raw);
    const message = ToRunner.parse(opened?.value);
    const attempt = nameAttempt(message);
    if (message.type === "packet") channels.get(attempt)?.receive(message.packet);
    else attempts.get(attempt)?.end();
  });
  carrier.take(pools, 1000, async ({ id, body }) => {
    const opened = await openMessage(carrier, () => sealer, id, body);
    const offered = OfferedSpec.parse(opened?.value);
    const { session, actor, attempt } = offered;
    const attemptId = { session, actor, attempt };
    const key = nameAttempt(attemptId);
    // As a real one does with an attempt that it gets twice.
    if (attempts.has(key)) return;
    const start = starts.get(key);
    if (start === undefined) throw new Error(`${key} was never started`);
    const channel = reliableChannel({
      clock,
      send: (packet) => void tell({ type: "packet", ...attemptId, runner: name, packet }).catch(() => {}),
    });
    channels.set(key, channel);
    const ended = Promise.withResolvers<void>();
    attempts.set(key, { id: attemptId, end: ended.resolve });
    await Promise.race([
      ended.promise,
      runOffered(offered, start, channel, name, { ...parts, isGone: () => isGone }),
    ]);
    // What it has sent last may not have arrived; the session says when it is over.
    await ended.promise;
    starts.delete(key);
    attempts.delete(key);
    channels.get(key)?.close();
    channels.delete(key);
  });
  beat();
  return {
    kill() {
      isGone = true;
      withdrawBeat();
      engine.kill(name);
      for (const { end } of attempts.values()) end();
      for (const channel of channels.values()) channel.close();
    },
  };
}

async function runOffered(
  { spec, kit: digest }: OfferedSpec,
  start: ActorStart,
  channel: ReliableChannel,
  runner: string,
  { clock, rulesSeen, begins, isGone }: Omit<LinkParts, "starts"> & { isGone(): boolean },
): Promise<void> {
  const services = sessionServices({ clock, edits: async () => null });
  services.attach(channel);
  const kit = unpackKit(await services.kit(), digest);
  const stopped = new AbortController();
  const boarded = await services.board({ runner, version: "test", lacks: [] });
  if (boarded !== "go" || !begins) return;
  const model = new GatewayClient(start.connect(), async () => start.services.model(1));
  receive(channel, agentNotices, {
    cancel: (reason) => stopped.abort(new Error(reason)),
    watch: (on) => model.watch(on),
    park() {},
    rules: (rules) => void rulesSeen.push(rules),
  });
  const notify = sender<typeof attemptNotices>(channel);
  const { run, command, background, hidden } = start.services;
  const exit = await runActor({
    ...{ spec: withKit(spec, kit), model, clock, signal: stopped.signal },
    services: { ...services, run, command, background, hidden, model: start.services.model },
    check: async (schema, value) => checkData(schema, value),
    tools: ({ name, module }) => (module ? moduleTool(name, module) : own.get(name)),
    report: (report) => notify("report", report),
  }).then(
    (): RunnerExit => ({ type: "returned" }),
    (error: unknown): RunnerExit => ({ type: "threw", message: errorMessage(error) }),
  );
  model.close();
  if (!isGone()) notify("exit", exit);
}
