import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LOCK_MS } from "../../../src/engine/bullmq/server.ts";
import { createFleetKey } from "../../../src/engine/fleet-key.ts";
import { listStock } from "../../../src/engine/stock.ts";
import { journalFile } from "../../../src/journal/paths.ts";
import { type OwnServer, startPostgres, startRedis } from "../../support/engine-servers.ts";
import { processesWith } from "../../support/left-behind.ts";
import { type RequestBody, startMessagesServer } from "../../support/messages-server.ts";
import { requestFaults } from "../checks/conversation.ts";
import { nextCliReply } from "../cli-crash/play.ts";
import { type Place, type Program, sessionFolder, startProgram } from "../cli-crash/program.ts";
import { cue } from "../play.ts";
import { type Seeded, seededBy } from "../seeded.ts";
import { type FleetFigures, fleetFaults, type Left, LONG_RUN_SECONDS } from "./checks.ts";
import { type CutProxy, openCutProxy } from "./cut-proxy.ts";
import { type FleetPlay, fleetPlay, killerNextTo, RUNNER_KILLER, sharedFiles } from "./play.ts";
import { type RunnerProcess, startRunner } from "./runner-process.ts";

export const ENGINES = ["redis", "postgres"] as const;
export type Engine = (typeof ENGINES)[number];

export interface FleetOptions {
  readonly seed: number;
  readonly engine: Engine;
  readonly agents: number;
  /** Most steps of an agent after its first. */
  readonly steps: number;
  readonly runners: number;
  readonly slots: number;
  /** Faults are injected for so long; then the session may come to its end. */
  readonly seconds: number;
  /** After so many more seconds the session hangs. */
  readonly patience: number;
  /** Milliseconds between two faults, at least and at most. */
  readonly pause: readonly [number, number];
  onLine(line: string): void;
}

/** A fault that was injected: what, whom, and when by the wall clock. */
export interface Strike {
  readonly what:
    | "runner killed"
    | "runner frozen"
    | "server killed"
    | "session killed"
    | "links cut"
    | "link held";
  readonly whom: string;
  readonly at: number;
  /** When it was over, for those that last. */
  readonly until: number;
}

export interface FleetReport {
  readonly faults: readonly string[];
  readonly figures: FleetFigures;
  /** Kept only if there are faults. */
  readonly folder: string;
}

/** What the model served, for the bill. */
export interface Served {
  requests: number;
  tokens: number;
  readonly faults: string[];
}

/** A session whose agents are on runners of this machine, with faults at random moments until the time is over; then what is promised is checked. */
export async function runFleet(options: FleetOptions): Promise<FleetReport> {
  const { seed, engine, agents, steps, onLine } = options;
  const random = seededBy(seed);
  const root = realpathSync(mkdtempSync(join(tmpdir(), `troupe-fleet-${seed}-`)));
  const place = makePlace(root);
  const play = fleetPlay({ agents, steps, log: place.log, random });
  const git = makeRepository(place, sharedFiles(agents));
  const served: Served = { requests: 0, tokens: 0, faults: [] };
  const model = await startMessagesServer(handlerOf(play, served, seededBy(seed + 1)), { record: false });
  const server = await (engine === "redis" ? startRedis() : startPostgres());
  const links = await Promise.all(
    Array.from({ length: options.runners + 1 }, () => openCutProxy(server.port)),
  );
  const fleetKey = join(place.home, ".troupe", "fleet-key");
  await createFleetKey(fleetKey);
  const addressOf = (link: CutProxy | undefined) => server.url.replace(`:${server.port}`, `:${link?.port}`);
  const runners = Array.from({ length: options.runners }, (_, n) =>
    startRunner({
      ...{ name: `r${n + 1}`, root, slots: options.slots, engine: addressOf(links[n + 1]) },
      ...{ model: model.url, fleetKey },
    }),
  );
  const session = keepSession(place, addressOf(links[0]), model.url);
  const strikes: Strike[] = [];
  const faults: string[] = [];
  try {
    const began = Date.now();
    const over = new AbortController();
    const striking = strikeUntil({
      ...{ options, random, server, links, runners, session, strikes },
      signal: over.signal,
    });
    const progress = setInterval(() => onLine(progressOf(place, runners, strikes, served, began)), 15_000);
    const limit = AbortSignal.timeout((options.seconds + options.patience) * 1000);
    const end = await Promise.race([session.ended, aborted(limit)]);
    clearInterval(progress);
    over.abort();
    await striking;
    const seconds = (Date.now() - began) / 1000;
    if (end === null) faults.push(`the session has not ended after ${seconds.toFixed(0)} s`);
    else if (end.code !== 0)
      faults.push(`the session ended with ${end.signal ?? end.code}: ${end.err.slice(-2_000)}`);
    await session.stop();
    const endedAt = Date.now();
    await untilGone(runners);
    const left = {
      trees: runners.flatMap(({ name, trees }) => trees().map((tree) => ({ runner: name, tree }))),
      engine: await leftIn(server, seconds),
    };
    const codes = await Promise.all(runners.map((runner) => runner.stop()));
    for (const [n, code] of codes.entries())
      if (code !== 0) faults.push(`runner r${n + 1} ended with ${code}`);
    const found = await fleetFaults({
      ...{ place, play, git, served, strikes, seconds, before: session.before, peakMb: session.peakMb() },
      ...{ left, endedAt, deaths: new Map(runners.map(({ name, deaths }) => [name, deaths])) },
    });
    const all = [...faults, ...served.faults, ...found.faults];
    writeFileSync(join(root, "strikes.json"), JSON.stringify(strikes, null, 1));
    writeFileSync(join(root, "said.txt"), session.said().join("\n"));
    if (all.length === 0) rmSync(root, { recursive: true, force: true });
    return { faults: all, figures: found.figures, folder: root };
  } finally {
    await session.stop();
    for (const runner of runners) {
      runner.thaw();
      runner.kill(true);
      await runner.stop();
    }
    for (const pid of processesWith(root)) process.kill(Number(pid), "SIGKILL");
    await Promise.all(links.map((link) => link.close()));
    await Promise.all([server.close(), model.close()]);
  }
}

/** Runners remove what is over, also from the engine; one that has just started again first reads what it had. */
async function untilGone(runners: readonly RunnerProcess[]): Promise<void> {
  await wait(2_000);
  for (let since = Date.now(); Date.now() - since < 30_000; await wait(500))
    if (runners.every((runner) => runner.trees().length === 0)) return;
}

/** What killed runners had is removed when its locks expire. A short run does not wait for that. */
async function leftIn(server: OwnServer, seconds: number): Promise<Left["engine"]> {
  const patienceMs = seconds < LONG_RUN_SECONDS ? 0 : 2 * LOCK_MS;
  for (const since = Date.now(); ; await wait(1_000)) {
    const { pools, blobs } = await listStock(server.url);
    const count = (of: "waiting" | "running") => pools.reduce((sum, pool) => sum + pool[of], 0);
    const [waiting, running] = [count("waiting"), count("running")];
    if (running === 0 || Date.now() - since >= patienceMs) return { waiting, running, blobs };
  }
}

function makePlace(root: string): Place {
  const [home, repository, temporary] = [join(root, "home"), join(root, "work"), join(root, "tmp")];
  for (const folder of [home, repository, temporary]) mkdirSync(folder);
  mkdirSync(join(home, ".claude"));
  const questions = join(root, "questions.log");
  writeFileSync(questions, "");
  const answer = JSON.stringify({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
  });
  const script = join(root, "answer.sh");
  writeFileSync(script, `#!/bin/sh\nread -r line\necho "$line" >> '${questions}'\necho '${answer}'\n`, {
    mode: 0o755,
  });
  const hooks = { PermissionRequest: [{ matcher: "", hooks: [{ type: "command", command: script }] }] };
  const log = join(root, "effects.log");
  const killer = killerNextTo(log);
  writeFileSync(killer, RUNNER_KILLER, { mode: 0o755 });
  const permissions = { allow: [`Bash(${killer})`] };
  writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify({ hooks, permissions }));
  return { root, home, repository, temporary, log };
}

function makeRepository(place: Place, files: ReadonlyMap<string, string>): (...args: string[]) => string {
  const { repository, log, root } = place;
  const env = { PATH: process.env["PATH"] ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: repository, env, encoding: "utf8", maxBuffer: 1 << 28 }).trim();
  git("init", "-q", "-b", "main");
  git("config", "user.name", "A User");
  git("config", "user.email", "user@example.org");
  for (const [name, text] of files) writeFileSync(join(repository, name), text);
  writeFileSync(log, "");
  git("add", "-A");
  git("commit", "-q", "-m", "The beginning");
  return git;
}

function handlerOf(play: FleetPlay, served: Served, random: Seeded) {
  return ({ body, rawBody, n, path }: { body: RequestBody; rawBody: string; n: number; path: string }) => {
    const tokens = Math.ceil(rawBody.length / 4);
    if (path.endsWith("/count_tokens"))
      return { status: 200, body: JSON.stringify({ input_tokens: tokens }) };
    served.requests += 1;
    served.tokens += tokens;
    for (const fault of requestFaults(rawBody)) served.faults.push(`request ${n}: ${fault}`);
    return {
      ...nextCliReply(play, body, String(n)),
      usage: { input_tokens: tokens, output_tokens: 40 },
      delayMs: random.between(20, 300),
    };
  };
}

interface KeptSession {
  readonly ended: Promise<Awaited<Program["ended"]>>;
  /** The journal as each death left it. */
  readonly before: readonly Buffer[];
  peakMb(): number;
  said(): readonly string[];
  /** SIGKILL; it is resumed immediately. */
  kill(): void;
  stop(): Promise<void>;
}

/** `troupe -p`, which is resumed with `--continue` whenever it was killed. */
function keepSession(place: Place, engine: string, model: string): KeptSession {
  const before: Buffer[] = [];
  const said: string[] = [];
  let [peakMb, isStopping] = [0, false];
  const arguments_ = () => [
    ...["-p", ...(sessionFolder(place.home) === null ? [`${cue("main")} Begin.`] : ["--continue"])],
    ...["--engine", engine, "--runners", "--permission-mode", "acceptEdits", "--output-format", "json"],
  ];
  let program = startProgram(arguments_(), place, modelOf(model));
  const ended = (async () => {
    for (;;) {
      const end = await program.ended;
      peakMb = Math.max(peakMb, end.peakMb);
      said.push(`--- ${end.signal ?? end.code}\n${end.err}\n${end.out.slice(0, 2_000)}`);
      if (end.signal !== "SIGKILL" || isStopping) return end;
      const folder = sessionFolder(place.home);
      before.push(folder === null ? Buffer.alloc(0) : readFileSync(journalFile(folder)));
      program = startProgram(arguments_(), place, modelOf(model));
    }
  })();
  return {
    ended,
    before,
    peakMb: () => peakMb,
    said: () => said,
    kill: () => program.kill(),
    async stop() {
      isStopping = true;
      program.kill();
      await ended;
    },
  };
}

function modelOf(url: string) {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-test-secret" };
}

interface Striking {
  readonly options: FleetOptions;
  readonly random: Seeded;
  readonly server: OwnServer;
  readonly links: readonly CutProxy[];
  readonly runners: readonly RunnerProcess[];
  readonly session: KeptSession;
  readonly strikes: Strike[];
  readonly signal: AbortSignal;
}

/** One fault after another. What lasts is over before the next one begins, and when the session ends. */
async function strikeUntil({ options, random, server, links, runners, session, strikes, signal }: Striking) {
  const until = Date.now() + options.seconds * 1000;
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {});
  while (!signal.aborted) {
    await pause(random.between(...options.pause));
    if (signal.aborted || Date.now() > until) return;
    const at = Date.now();
    const runner = random.pick(runners);
    const n = random.between(0, links.length - 1);
    const note = (what: Strike["what"], whom: string) => {
      strikes.push({ what, whom, at, until: Date.now() });
      options.onLine(`${what}: ${whom}, ${((Date.now() - at) / 1000).toFixed(1)} s`);
    };
    const chance = random.next();
    if (chance < 0.3) {
      runner.kill(random.next() < 0.5);
      note("runner killed", runner.name);
    } else if (chance < 0.45) {
      runner.freeze();
      await pause(random.pick([5_000, 60_000]));
      runner.thaw();
      note("runner frozen", runner.name);
    } else if (chance < 0.6) {
      await server.crash();
      await pause(random.between(500, 15_000));
      await server.restart();
      note("server killed", options.engine);
    } else if (chance < 0.75) {
      session.kill();
      note("session killed", "session");
    } else if (chance < 0.9) {
      links[n]?.cut();
      note("links cut", n === 0 ? "session" : `r${n}`);
    } else {
      links[n]?.hold(random.pick(["there", "back"] as const));
      await pause(random.between(2_000, 20_000));
      links[n]?.release();
      note("link held", n === 0 ? "session" : `r${n}`);
    }
  }
}

function progressOf(
  place: Place,
  runners: readonly RunnerProcess[],
  strikes: readonly Strike[],
  served: Served,
  began: number,
) {
  const folder = sessionFolder(place.home);
  const text = folder === null ? "" : readFileSync(journalFile(folder), "utf8");
  const count = (type: string) => text.split(`"type":"${type}"`).length - 1;
  const deaths = runners.reduce((sum, runner) => sum + runner.deaths.length, 0);
  return `${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${count("spawn")} started, ${count("summary")} ended, ${count("boarded")} boarded, ${served.requests} requests, ${strikes.length} faults, ${deaths} deaths of runners`;
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));
}
