import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { journalFile } from "../../src/journal/paths.ts";
import { startMessagesServer } from "../support/messages-server.ts";
import { faultsIn } from "./checker.ts";
import { effectCommand } from "./checks/effects.ts";
import { MARK, marked, memoryMb } from "./checks/remains.ts";
import { greedyAs } from "./greedy-worker.ts";
import { agent, bash, cue, nextReply, type Part, type Play, reportOf, working } from "./play.ts";
import { LIBRARY, type ProgramRequest } from "./session-run.ts";

export type Form = "arrays" | "map" | "buffers";

export interface MemoryReport {
  /** Empty: what is promised was kept. */
  readonly faults: readonly string[];
  /** How each process of the session ended: with an exit code or by a signal. */
  readonly ends: readonly string[];
  readonly agents: readonly AgentEnd[];
  /** Megabytes that the main process grew by; of the last one. */
  readonly grownMb: number;
  readonly peakMb: number;
  readonly folder: string;
}

export interface AgentEnd {
  readonly description: string;
  readonly status: string;
  readonly text: string;
  readonly reason?: string;
}

/** A machine has only so much: whatever process has more is killed, as a kernel would. */
const KILL_MB = 1_200;
const GREEDY = "greedy";
const TRIES = 4;

/** A session with agents, one of which takes memory without bound; where that ends the process it is taken up again. */
export async function memoryRun(form: Form, agents: number): Promise<MemoryReport> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `troupe-memory-${form}-`)));
  const place = { home: join(root, "home"), cwd: join(root, "work"), log: join(root, "effects.log") };
  for (const folder of [place.home, place.cwd]) mkdirSync(folder);
  const play = playOf(agents, place.log, form, join(root, "eat"));
  const server = await startMessagesServer(({ body, n }) => nextReply(play, body, () => String(n)));
  const ends: string[] = [];
  const before: Buffer[] = [];
  const request: ProgramRequest = {
    ...{ library: LIBRARY, home: place.home, cwd: place.cwd, url: server.url },
    prompt: `${cue("main")} Begin.`,
  };
  let peak = 0;
  try {
    for (;;) {
      const run = await runOnce(request, root);
      ends.push(run.end);
      peak = Math.max(peak, run.peakMb);
      if (run.end === "0" || ends.length >= TRIES) return await report(run);
      before.push(readFileSync(journalFile(run.folder)));
    }
  } finally {
    await server.close();
  }

  async function report(run: OneRun): Promise<MemoryReport> {
    for (let tries = 0; marked(root).length > 0 && tries < 500; tries += 1) await wait(10);
    const effects = existsSync(place.log) ? readFileSync(place.log, "utf8").split("\n").slice(0, -1) : [];
    const faults = faultsIn({
      ...{ home: place.home, folder: run.folder, before, effects, mark: root, ended: run.end === "0" },
      requests: server.requests.map(({ rawBody }) => rawBody),
      ...{ peakMb: peak, maxMb: KILL_MB + 600 },
    });
    if (run.end !== "0") faults.push(`it did not come to its end: ${ends.join(", ")}: ${run.complaints}`);
    if (run.status !== "done") faults.push(`the conversation ended as ${run.status}`);
    if (faults.length === 0) rmSync(root, { recursive: true, force: true });
    const { agents: all, grownMb } = run;
    return { faults, ends, agents: all, grownMb, peakMb: Math.round(peak), folder: root };
  }
}

function playOf(agents: number, log: string, form: Form, file: string): Play {
  const names = Array.from({ length: agents - 1 }, (_, n) => `a${n}`);
  const parts = names.map((name): [string, Part] => [
    name,
    { stages: working(name, 2, log), report: reportOf(name) },
  ]);
  // The second command says that all before it is durable; nobody waits for its end.
  const stages = [
    [bash(effectCommand(`${GREEDY}.0`, log))],
    [
      bash(`${effectCommand(`${GREEDY}.1`, log)}; touch ${file}; sleep 60`),
      { name: "Glob", input: { pattern: greedyAs(form, file) } },
    ],
  ];
  const greedy = agent(GREEDY, { prompt: `${cue(GREEDY)} Do it.` });
  return new Map<string, Part>([
    ...parts,
    [GREEDY, { stages, report: reportOf(GREEDY) }],
    ["main", { stages: [[...names.map((name) => agent(name)), greedy]], report: reportOf("main") }],
  ]);
}

interface OneRun {
  readonly end: string;
  readonly folder: string;
  readonly status: string;
  readonly agents: readonly AgentEnd[];
  readonly grownMb: number;
  readonly peakMb: number;
  readonly complaints: string;
}

async function runOnce(request: ProgramRequest, mark: string): Promise<OneRun> {
  const { PATH = "", NODE_COMPILE_CACHE = "", TROUPE_FAULTS_LIBRARY = "" } = process.env;
  const entry = new URL("./memory-program.ts", import.meta.url).pathname;
  const own = TROUPE_FAULTS_LIBRARY === "" ? {} : { TROUPE_FAULTS_LIBRARY };
  const child = spawn(process.execPath, [entry, JSON.stringify(request)], {
    env: { PATH, NODE_COMPILE_CACHE, HOME: mark, [MARK]: mark, ...own },
    stdio: ["ignore", "pipe", "pipe"],
    // One that takes so long hangs, and is a fault.
    ...{ timeout: 120_000, killSignal: "SIGKILL" as const },
  });
  let peakMb = 0;
  const watch = setInterval(() => {
    const mb = (child.pid === undefined ? null : memoryMb(child.pid)) ?? 0;
    peakMb = Math.max(peakMb, mb);
    if (mb > KILL_MB) child.kill("SIGKILL");
  }, 5);
  const closed = new Promise<string>((resolve) =>
    child.once("close", (code, signal) => resolve(signal ?? String(code))),
  );
  const [said, complaints, end] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  clearInterval(watch);
  const lines: Record<string, unknown>[] = said
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const line = (type: string) => lines.find((each) => each["type"] === type) ?? {};
  const { agents, grownMb } = line("agents");
  return {
    ...{ end, peakMb, complaints: complaints.slice(-2_000) },
    folder: String(line("opened")["folder"]),
    status: String(line("ended")["status"]),
    agents: Array.isArray(agents) ? agents : [],
    grownMb: Math.round(Number(grownMb ?? 0)),
  };
}
