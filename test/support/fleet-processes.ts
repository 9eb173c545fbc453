import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { createFleetKey, readFleetKey } from "../../src/engine/fleet-key.ts";
import { openEngine } from "../../src/engine/open-engine.ts";
import type { Runners } from "../../src/features/runners/index.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { RemoteHost } from "../../src/remote/remote-host.ts";
import { BIN } from "./built.ts";
import { type Ended, troupe } from "./cli-process.ts";
import { repositoryWith } from "./git-repository.ts";
import { processesWith } from "./left-behind.ts";
import {
  type MessagesServer,
  type ServedCall,
  type ServedReply,
  startMessagesServer,
} from "./messages-server.ts";
import { needRunnerTrees } from "./runner-trees.ts";
import { type Supervised, supervised } from "./supervised.ts";
import { temporaryFolder } from "./temporary.ts";

/** What an agent's model replies: by the agent's name, and its turn from 0. */
export type AgentScript = (agent: string, turn: number) => ServedReply | Promise<ServedReply>;

/** A real `troupe runner`, as built, with a home of its own. */
export interface RunnerProcess {
  readonly name: string;
  readonly home: string;
  readonly pid: number;
  /** What it wrote, lines of its health among it. */
  output(): string;
  /** The runner and all processes that it started. */
  all(): number[];
  /** SIGKILL of the runner alone, as the kernel does it; resolves when it is gone with all that it had. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT of everything of it, as when its machine sleeps. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM; resolves with its exit code. */
  drain(): Promise<number | null>;
}

export interface RunnerSetup {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of the fleet's engine, such as a line that can be cut. */
  readonly engine?: string;
  /** Instead of the fleet's key. */
  readonly key?: string;
  readonly home?: string;
  /** Another program than the built one. */
  readonly bin?: string;
}

export interface SessionSetup {
  /** How it reaches the engine. */
  readonly line?: string;
  /** How much faster the clock of its leases is. */
  readonly speed?: number;
}

/** Real runners, a model that they ask over HTTP, and sessions in a repository. All of it ends with the test. */
export interface Fleet {
  readonly engine: string;
  readonly model: MessagesServer;
  /** A repository that agents take along. */
  readonly cwd: string;
  /** The lines that agents' commands wrote to the log of this fleet, outside of their worktrees: effects, to be counted. */
  effects(): string[];
  /** Resolves when it takes agents. */
  startRunner(name: string, setup?: RunnerSetup): Promise<RunnerProcess>;
  /** A session in this process that starts agents of these names together; its leases last a quarter as long. */
  openSession(agents: readonly string[], options?: SessionSetup): Supervised;
  /** The same as `troupe -p` in a process of its own. */
  startSession(agents: readonly string[], args?: readonly string[], home?: string): SessionProcess;
}

export interface SessionProcess {
  readonly home: string;
  readonly child: Promise<ChildProcess>;
  readonly ended: Promise<Ended>;
}

/** Leases of 45 s last 11 s. Runners' heartbeats come each 5 s, so it cannot be faster. */
const USUAL_SPEED = 4;

function fasterClock(times: number): Clock {
  return {
    ...{ now: () => systemClock.now() * times, date: systemClock.date },
    after: (ms, call) => systemClock.after(ms / times, call),
  };
}

const FAN_OUT = "Start the agents:";
const usage = { input_tokens: 10, output_tokens: 5 };

/** A call of Bash that writes a line to the log of the fleet, and then does the rest. */
export function effect(line: string, rest = "true"): ServedReply {
  return { calls: [bash(`echo ${line} >> "$EFFECTS"; ${rest}`)] };
}

export function bash(command: string): ServedCall {
  return { name: "Bash", input: { command, description: "work" } };
}

export async function openFleet(engine: string, script: AgentScript): Promise<Fleet> {
  needRunnerTrees();
  const { folder: cwd } = await repositoryWith({ "a.txt": "one\n" });
  const folder = temporaryFolder("troupe-fleet-");
  const log = join(folder, "effects");
  const key = join(folder, "fleet-key");
  await createFleetKey(key);
  const fleetKey = await readFleetKey(key);
  const model = await startMessagesServer(async ({ body }) => {
    const text = JSON.stringify(body.messages);
    const turn = body.messages.filter(({ role }) => role === "assistant").length;
    const main = new RegExp(`${FAN_OUT}([\\w ]+)`).exec(text);
    if (main)
      return turn === 0 ? { calls: (main[1] ?? "").trim().split(" ").map(agentCall) } : { text: "All done." };
    const agent = /You are (\w+)\./.exec(text)?.[1] ?? "";
    return withLog(await script(agent, turn), log);
  });
  onTestFinished(() => model.close());
  const homeFor = (given?: string, ownKey = key) => {
    const home = given ?? temporaryFolder("troupe-home-");
    mkdirSync(join(home, ".troupe"), { recursive: true, mode: 0o700 });
    const place = join(home, ".troupe", "fleet-key");
    if (!existsSync(place)) copyFileSync(ownKey, place);
    return home;
  };
  return {
    ...{ engine, model, cwd },
    effects: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []),
    startRunner: (name, setup = {}) =>
      startRunner(name, { engine, ...setup }, homeFor(setup.home, setup.key), model),
    openSession: (agents, { line = engine, speed = USUAL_SPEED } = {}) =>
      supervised("worker threads", mainScript(agents), {
        ...{ cwd, allowedTools: ["Bash"], permissionMode: "acceptEdits" },
        runners: quickRunners(line, fleetKey, speed),
      }),
    startSession(agents, args = [], given = undefined) {
      const home = homeFor(given);
      const started = Promise.withResolvers<ChildProcess>();
      const flags = [
        "--runners",
        "--engine",
        engine,
        "--allowed-tools",
        "Bash",
        "--permission-mode",
        "acceptEdits",
      ];
      const prompt = agents.length === 0 ? [] : [`${FAN_OUT} ${agents.join(" ")}`];
      const ended = troupe(["-p", ...prompt, ...flags, ...args], {
        ...{ url: model.url, cwd, home, onStart: started.resolve },
      });
      return { home, child: started.promise, ended };
    },
  };
}

function quickRunners(engine: string, fleetKey: Uint8Array, speed: number): Runners {
  return {
    ...{ pool: "default", version: "test" },
    createHost: (parts) =>
      new RemoteHost({
        ...parts,
        clock: fasterClock(speed),
        connect: async () => ({ carrier: await openEngine(engine), fleetKey }),
      }),
  };
}

function mainScript(agents: readonly string[]) {
  return (_: unknown, n: number): ScriptedTurn =>
    n === 0 ? { calls: agents.map(agentCall), usage } : { text: "All done.", usage };
}

function agentCall(name: string): ServedCall {
  return {
    name: "Agent",
    input: { description: name, prompt: `You are ${name}.`, subagent_type: "general-purpose" },
  };
}

/** Commands get what a runner's environment does not have. */
function withLog(reply: ServedReply, log: string): ServedReply {
  const calls = reply.calls?.map((call) =>
    call.name === "Bash"
      ? { ...call, input: JSON.parse(JSON.stringify(call.input).replaceAll("$EFFECTS", log)) }
      : call,
  );
  return { ...reply, ...(calls ? { calls } : {}) };
}

async function startRunner(
  name: string,
  { engine, args = [], env = {}, bin = BIN }: RunnerSetup,
  home: string,
  model: MessagesServer,
): Promise<RunnerProcess> {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(
    process.execPath,
    [bin, "runner", "--engine", engine ?? "", "--name", name, "--slots", "4", ...args],
    {
      cwd: home,
      env: {
        ...{ PATH, NODE_COMPILE_CACHE, HOME: home },
        ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-test-secret", ...env },
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  child.stdout.on("data", (piece: Buffer) => (output += piece));
  child.stderr.on("data", (piece: Buffer) => (output += piece));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const all = () => processesWith(`HOME=${home}\0`).map(Number);
  const signal = (to: NodeJS.Signals) => {
    for (const pid of all())
      try {
        process.kill(pid, to);
      } catch {
        // It has ended since.
      }
  };
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
    await vi.waitUntil(() => all().length === 0, { timeout: 30_000, interval: 50 });
  };
  onTestFinished(async () => {
    signal("SIGCONT");
    await kill();
  });
  await vi.waitUntil(() => output.includes(`runner ${name} (`) || child.exitCode !== null, {
    timeout: 40_000,
  });
  if (child.exitCode !== null) throw new Error(`The runner ${name} did not start: ${output}`);
  return {
    ...{ name, home, pid: child.pid ?? 0, all, kill },
    output: () => output,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    drain() {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** Something that happens when a test says so. */
export function gate(): { readonly passed: Promise<void>; pass(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, pass: resolve };
}
