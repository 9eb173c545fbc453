import { setTimeout as wait } from "node:timers/promises";
import { cpuMs } from "./cpu.ts";
import { cli, type Ground, onFreshGround } from "./folders.ts";
import { environment } from "./loop.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { runProgram } from "./program.ts";
import { type BenchTerminal, openTerminal } from "./pseudo-terminal.ts";
import { atMost, type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { median, quantile, rounded } from "./samples.ts";

const AGENTS = 64;
/** Somebody who types fast. */
const KEYS_APART_MS = [60, 110] as const;
const READY = /^› *$/m;

/** What a user at the terminal sees: keys, bytes, pauses, the first screen, memory. */
export async function run(options: BenchOptions): Promise<BenchResult[]> {
  const server = await startModelServer();
  try {
    return await onFreshGround(async (ground) => [
      ...(await whileAgentsStream(options)),
      await inASession(options, server, ground),
      ...(await longReply(server, ground)),
      await longPaste(server, ground),
      await firstScreen(options, server, ground),
      await manyTurns(options, server, ground),
    ]);
  } finally {
    server.close();
  }
}

/** The terminal alone: what the agents report is made in the same process, at the highest rates. */
async function whileAgentsStream({ quick }: BenchOptions): Promise<BenchResult[]> {
  const keys = quick ? 60 : 300;
  const program = new URL("./inside/terminal-load.ts", import.meta.url).pathname;
  const open = (mode: string) =>
    openTerminal([process.execPath, program, String(AGENTS), mode], { cwd: process.cwd(), env: {} });
  const painted = open("painted");
  const floor = open("echo");
  try {
    await Promise.all([painted.shows(/question 1/), floor.shows(READY)]);
    const before = { at: performance.now(), cpu: cpuMs([painted.pid]), bytes: painted.bytes() };
    const ours = await typeKeys(painted, keys);
    const ms = performance.now() - before.at;
    const cpu = cpuMs([painted.pid]);
    const echoed = await typeKeys(floor, keys);
    return [
      {
        name: `key to screen p99, ${AGENTS} agents at work`,
        unit: "ms",
        ours: quantile(ours, 0.99),
        floor: quantile(echoed, 0.99),
        target: atMost(25),
        note: `median ${rounded(median(ours))}, worst ${rounded(Math.max(...ours))}`,
      },
      {
        name: "  of a core",
        unit: "%",
        ours: cpu === null || before.cpu === null ? Number.NaN : (100 * (cpu - before.cpu)) / ms,
        floor: null,
        target: atMost(12),
        note: "with the making of the reports",
      },
      {
        name: "  written",
        unit: "kB/s",
        ours: (painted.bytes() - before.bytes) / ms,
        floor: null,
        target: atMost(40),
      },
    ];
  } finally {
    painted.kill();
    floor.kill();
  }
}

/** The whole program, with agents that stream from a server. */
async function inASession(
  { quick }: BenchOptions,
  server: ModelServer,
  ground: Ground,
): Promise<BenchResult> {
  const agents = quick ? 16 : AGENTS;
  const pieces = { count: 100, apartMs: 20 };
  await server.play({ type: "fan-out", agents, turns: 8, file: ground.file, delayMs: 200, pieces });
  return withTroupe(server, ground, { TROUPE_MAX_AGENTS: String(agents) }, async (terminal) => {
    terminal.write("Fan out.\r");
    // So many agents are asked for.
    await terminal.shows(/Start them\?[\s\S]*answer/);
    terminal.write("1\r");
    await terminal.shows(/question \d+.*2 turns/);
    const ms = await typeKeys(terminal, quick ? 40 : 150);
    return {
      name: `key to screen p99 in a session, ${agents} agents stream`,
      unit: "ms",
      ours: quantile(ms, 0.99),
      floor: null,
      target: null,
      note: `median ${rounded(median(ms))}, worst ${rounded(Math.max(...ms))}; the agents' threads share the cores`,
    };
  });
}

async function longReply(server: ModelServer, ground: Ground): Promise<BenchResult[]> {
  const characters = 300_000;
  await server.play({ type: "reply", characters, apartMs: 1 });
  return withTroupe(server, ground, {}, async (terminal) => {
    const before = terminal.bytes();
    terminal.write("Tell me all.\r");
    await terminal.shows(/A part of it/);
    const ms = await typeKeys(terminal, 100);
    await terminal.clearLine();
    await terminal.shows(/done · 1 turn[\s\S]*\n› *$/m);
    return [
      {
        name: "longest wait for a key, reply of 300 kB",
        unit: "ms",
        ours: Math.max(...ms),
        floor: null,
        target: atMost(100),
        note: `median ${rounded(median(ms))}`,
      },
      {
        name: "  written for each byte of the reply",
        unit: "bytes",
        ours: (terminal.bytes() - before) / characters,
        floor: null,
        target: atMost(3),
        note: "with the agents' line and the keys",
      },
    ];
  });
}

async function longPaste(server: ModelServer, ground: Ground): Promise<BenchResult> {
  return withTroupe(server, ground, {}, async (terminal) => {
    const lines = Array.from({ length: 10_000 }, (_, n) => `line ${n} of what was pasted\n`).join("");
    const at = performance.now();
    terminal.write(`\u001b[200~${lines}\u001b[201~`);
    await terminal.shows(/\[paste #1/);
    const pasted = performance.now() - at;
    const ms = await typeKeys(terminal, 50);
    return {
      name: "longest wait for a key after a paste of 10,000 lines",
      unit: "ms",
      ours: Math.max(...ms),
      floor: null,
      target: atMost(100),
      note: `median ${rounded(median(ms))}; the paste itself ${rounded(pasted)}`,
    };
  });
}

async function firstScreen(
  { quick }: BenchOptions,
  server: ModelServer,
  ground: Ground,
): Promise<BenchResult> {
  await server.play({ type: "reply", characters: 40, apartMs: 0 });
  const screens: number[] = [];
  const requests: number[] = [];
  for (let round = -1; round < (quick ? 3 : 9); round++) {
    const terminal = openTroupe(server, ground, {});
    const shown = await terminal.shows(READY);
    terminal.kill();
    await terminal.ended;
    await server.play({ type: "reply", characters: 40, apartMs: 0 });
    const { startedAt } = await runProgram([cli, "-p", "Hello."], {
      cwd: ground.cwd,
      env: environment(server, ground),
    });
    const { firstAt } = await server.seen();
    if (round < 0) continue;
    screens.push(shown);
    requests.push(firstAt - startedAt);
  }
  return {
    name: "first screen, against the first request of -p",
    unit: "ms",
    ours: median(screens),
    floor: median(requests),
    target: timesFloor(1.5),
  };
}

async function manyTurns({ quick }: BenchOptions, server: ModelServer, ground: Ground): Promise<BenchResult> {
  const turns = quick ? 100 : 500;
  const from = turns / 5;
  await server.play({ type: "reply", characters: 400, apartMs: 0 });
  return withTroupe(server, ground, {}, async (terminal) => {
    let atFrom = 0;
    for (let turn = 1; turn <= turns; turn++) {
      const { requests } = await server.seen();
      terminal.write(`Question ${turn}.\r`);
      while ((await server.seen()).requests === requests) await wait(2);
      await terminal.shows(new RegExp(`Question ${turn}\\.[\\s\\S]*done · 1 turn[\\s\\S]*\\n› *$`, "m"));
      if (turn === from) atFrom = terminal.residentMiB();
    }
    return {
      name: `memory from turn ${from} to turn ${turns}`,
      unit: "MiB",
      ours: terminal.residentMiB() - atFrom,
      floor: null,
      target: atMost(40),
      note: `${rounded(terminal.residentMiB())} at the end`,
    };
  });
}

async function typeKeys(terminal: BenchTerminal, count: number): Promise<number[]> {
  const ms: number[] = [];
  for (let n = 0; n < count; n++) {
    // The line must not grow beyond the terminal.
    if (n > 0 && n % 40 === 0) await terminal.clearLine();
    const [least, most] = KEYS_APART_MS;
    await wait(least + ((n * 37) % (most - least)));
    ms.push(await terminal.typeKey("abcdefghijklmnopqrstuvwxyz"[n % 26] ?? "x"));
  }
  return ms;
}

async function withTroupe<T>(
  server: ModelServer,
  ground: Ground,
  env: Readonly<Record<string, string>>,
  use: (terminal: BenchTerminal) => Promise<T>,
): Promise<T> {
  const terminal = openTroupe(server, ground, env);
  try {
    await terminal.shows(READY);
    return await use(terminal);
  } finally {
    terminal.kill();
    await terminal.ended;
  }
}

function openTroupe(
  server: ModelServer,
  ground: Ground,
  env: Readonly<Record<string, string>>,
): BenchTerminal {
  return openTerminal([process.execPath, cli], {
    cwd: ground.cwd,
    env: { ...environment(server, ground), ...env },
  });
}
