import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { journalFile } from "../../src/journal/paths.ts";
import { sessionStateOf } from "../../src/journal/session-state.ts";
import { type RecordedRequest, type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { conversationsOf, faultsIn } from "./checker.ts";
import { textOf } from "./checks/conversation.ts";
import { lookAtJournal } from "./checks/journal.ts";
import { MARK, marked } from "./checks/remains.ts";
import { type Injection, injections, type ModelInjection } from "./injections.ts";
import { agent, cue, nextReply, type Part, type Play, reportOf, working } from "./play.ts";
import { type Seeded, seededBy } from "./seeded.ts";
import { LIBRARY } from "./session-run.ts";

/** One session of `fault-program.ts`. */
export interface FaultSession {
  readonly name: string;
  readonly home: string;
  readonly cwd: string;
  readonly url: string;
  readonly prompts: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

export interface FaultProgram {
  readonly library: string;
  readonly atOnce: number;
  readonly sessions: readonly FaultSession[];
}

/** What it says of each; the last line is its most memory. */
export interface FaultLine {
  readonly name: string;
  readonly folder: string;
  /** Of each prompt. */
  readonly ends: readonly { readonly status: string; readonly text: string; readonly reason: string }[];
  readonly waits: readonly string[];
  readonly warnings: readonly string[];
}

export interface FaultReport {
  readonly number: number;
  /** Where the fault was put. */
  readonly where: string;
  /** Empty: what is promised was kept. */
  readonly faults: readonly string[];
}

const MAX_MB = 1_400;
const AT_ONCE = 3;
/** So many faults in one session at most, each in an agent of its own. */
const TOGETHER = 10;

/** A fault and the part of a play that has it. */
interface Patient {
  readonly number: number;
  readonly injection: Injection;
  readonly part: string;
  /** Which request of that part. */
  readonly nth: number;
  readonly background: boolean;
  /** Requests of that part so far, and the faults among them. */
  seen: number;
  faulty: number;
}

interface Ward {
  readonly session: FaultSession;
  readonly play: Play;
  readonly log: string;
  readonly patients: readonly Patient[];
  readonly requests: RecordedRequest[];
}

/** All faults that are put into sessions, or some; every session is checked afterwards. */
export async function faultSessions(seed: number, numbers?: readonly number[]): Promise<FaultReport[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `troupe-faults-${seed}-`)));
  const random = seededBy(seed);
  const wards = new Map<string, Ward>();
  const server = await startMessagesServer((request) => answer(wards, request, random), { record: false });
  for (const [n, patients] of grouped(random, numbers).entries()) {
    const name = `s${n}`;
    wards.set(name, wardOf(join(root, name), `${server.url}/${name}`, patients));
  }
  try {
    const { lines, peakMb, complaints } = await runAll([...wards.values()], root);
    const reports = [...wards].flatMap(([name, ward]) => {
      const line = lines.find((each) => each.name === name);
      return line ? reportsOf(ward, line, { root, peakMb }) : lost(ward, complaints);
    });
    if (reports.every(({ faults }) => faults.length === 0)) rmSync(root, { recursive: true, force: true });
    return reports;
  } finally {
    await server.close();
  }
}

/** Whose limits are the same may share a session; which do, and where each fault strikes, is the seed's. */
function grouped(random: Seeded, numbers: readonly number[] | undefined): Patient[][] {
  const all = [...injections].flatMap(([number, each]) => each.map((injection) => ({ number, injection })));
  const wanted = all.filter(({ number }) => numbers === undefined || numbers.includes(number));
  const shuffled = wanted
    .map((one) => ({ one, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
  const groups = new Map<string, Patient[][]>();
  for (const { number, injection } of shuffled) {
    const key = injection.kind === "model" ? JSON.stringify(injection.limits) : "commands";
    const alike = groups.get(key) ?? [[]];
    if ((alike.at(-1)?.length ?? 0) >= TOGETHER) alike.push([]);
    const group = alike.at(-1) ?? [];
    const nth = injection.kind === "model" ? (injection.nth ?? random.between(0, 2)) : 0;
    const part = group.length === 0 && mayBeOfMain(injection, nth) ? "main" : `f${number}`;
    group.push({ number, injection, part, nth, background: random.next() < 0.5, seen: 0, faulty: 0 });
    groups.set(key, alike);
  }
  return [...groups.values()].flat();
}

/** One of each session is the conversation's own; where it fails no agent is ever started. */
function mayBeOfMain(injection: Injection, nth: number): boolean {
  if (injection.kind === "command" || nth > 1) return false;
  return injection.outcome.type === "recovers" || injection.alone === true;
}

function wardOf(folder: string, url: string, patients: readonly Patient[]): Ward {
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  for (const each of [home, cwd]) mkdirSync(each, { recursive: true });
  const log = join(folder, "effects.log");
  const limits = patients.flatMap(({ injection }) =>
    injection.kind === "model" ? [injection.limits] : [],
  )[0];
  const prompts = [cue("main"), cue("again")].map((words) => `${words} Begin.`);
  const session = { name: url.split("/").at(-1) ?? "", home, cwd, url, prompts, limits: limits ?? {} };
  return { session, play: playOf(patients, log), log, patients, requests: [] };
}

/** The conversation leaves tokens, then starts an agent for each fault, and reports. */
function playOf(patients: readonly Patient[], log: string): Play {
  const others = patients.filter(({ part }) => part !== "main");
  const parts = others.map(({ part, injection }): [string, Part] => {
    const work = working(part, 2, log).toReversed();
    const stages = injection.kind === "command" ? [[injection.call], ...work] : work;
    return [part, { stages, report: reportOf(part) }];
  });
  const calls = others.map(({ part, background }) => agent(part, { run_in_background: background }));
  const stages = [...working("main", 2, log).toReversed(), ...(calls.length > 0 ? [calls] : [])];
  return new Map<string, Part>([
    ...parts,
    ["main", { stages, report: reportOf("main") }],
    ["again", { stages: working("again", 1, log), report: reportOf("again") }],
  ]);
}

function answer(wards: ReadonlyMap<string, Ward>, request: RecordedRequest, random: Seeded): ServedReply {
  const ward = wards.get(request.path.split("/")[1] ?? "");
  if (!ward) return { status: 404, body: "{}" };
  ward.requests.push(request);
  const { part, ...reply } = nextReply(ward.play, request.body, () => String(request.n));
  const patient = ward.patients.find((one) => one.part === part);
  if (patient?.injection.kind !== "model") return reply;
  const due = patient.seen++ - patient.nth;
  if (due < 0 || due >= (patient.injection.times ?? Number.POSITIVE_INFINITY)) return reply;
  patient.faulty += 1;
  return patient.injection.reply(reply, random);
}

async function runAll(wards: readonly Ward[], mark: string) {
  const program: FaultProgram = {
    library: LIBRARY,
    atOnce: AT_ONCE,
    sessions: wards.map(({ session }) => session),
  };
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const entry = new URL("./fault-program.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [entry, JSON.stringify(program)], {
    env: { PATH, NODE_COMPILE_CACHE, HOME: mark, [MARK]: mark },
    stdio: ["ignore", "pipe", "pipe"],
    // One that takes so long hangs, and is a fault.
    ...{ timeout: 120_000, killSignal: "SIGKILL" as const },
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  const [said, complaints] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  for (let tries = 0; marked(mark).length > 0 && tries < 500; tries += 1) await wait(10);
  const all: (FaultLine | { peakMb: number })[] = said
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return {
    lines: all.filter((line): line is FaultLine => "name" in line),
    peakMb: all.flatMap((line) => ("peakMb" in line ? [line.peakMb] : [])).at(0) ?? 0,
    complaints: complaints.slice(-2000),
  };
}

function lost({ patients }: Ward, complaints: string): FaultReport[] {
  return patients.map(({ number }) => ({ number, where: "", faults: [`it did not end: ${complaints}`] }));
}

/** What is wrong with a session is reported of each fault in it: it may be any one's. */
function reportsOf(
  ward: Ward,
  line: FaultLine,
  { root, peakMb }: { root: string; peakMb: number },
): FaultReport[] {
  const { log, session, requests, patients } = ward;
  const effects = existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
  const bodies = requests.map(({ rawBody }) => rawBody);
  const { records } = lookAtJournal(readFileSync(journalFile(line.folder)), []);
  const conversations = conversationsOf(sessionStateOf(records));
  const all = [...conversations.values()].map(textOf).join("\n");
  const shown: Shown = { line, effects, main: textOf(conversations.get("main") ?? []), all };
  const common = faultsIn({
    ...{ home: session.home, folder: line.folder, before: [], requests: bodies, effects, mark: root },
    ...{ peakMb, maxMb: MAX_MB, ended: true },
  });
  if (line.ends[1]?.status !== "done")
    common.push(`the session could not be used again: ${JSON.stringify(line.ends[1])}`);
  if (bodies.join("").includes("sk-test-secret")) common.push("the key stands in a request's body");
  if (/<html|Bad gateway/.test(all + JSON.stringify(line))) common.push("a page of HTML was shown");
  return patients.map((patient) => ({
    number: patient.number,
    where: `request ${patient.nth} of ${patient.part}`,
    faults: [...common, ...faultsOf(patient, shown)],
  }));
}

interface Shown {
  readonly line: FaultLine;
  readonly effects: readonly string[];
  readonly main: string;
  readonly all: string;
}

function faultsOf(patient: Patient, shown: Shown): string[] {
  const { injection, part } = patient;
  const { line, main } = shown;
  const [first] = line.ends;
  if (injection.kind === "command") {
    const faults = injection.told.test(shown.all) ? [] : [`the model was not told ${injection.told}`];
    return [...faults, ...wholeFaults(part, shown)];
  }
  const { outcome } = injection;
  const faults = costFaults(patient, injection, line);
  if (outcome.type === "recovers") return [...faults, ...wholeFaults(part, shown, injection.without)];
  if (part === "main") {
    if (first?.status === "done" || !outcome.reason.test(first?.reason ?? ""))
      faults.push(`it should have failed for ${outcome.reason}, and ended with ${JSON.stringify(first)}`);
  } else if (!outcome.reason.test(main)) faults.push(`the conversation was not told ${outcome.reason}`);
  return faults;
}

function costFaults({ faulty }: Patient, { tries, saysWaiting }: ModelInjection, line: FaultLine): string[] {
  const [least, most] = tries;
  const faults =
    faulty < least || faulty > most ? [`${faulty} requests had it, not ${least} to ${most}`] : [];
  if (saysWaiting && !line.waits.some((reason) => saysWaiting.test(reason)))
    faults.push(`nobody was told ${saysWaiting}; but ${JSON.stringify(line.waits)}`);
  return faults;
}

/** As if nothing had happened: its report is there once, and all it was to do was done. */
function wholeFaults(
  part: string,
  { main, effects, line }: Shown,
  without: readonly string[] = [],
): string[] {
  const faults = main.split(reportOf(part)).length === 2 ? [] : [`the report of ${part} is not there once`];
  const missing = ["0", "1", "1.b"].filter(
    (step) => !without.includes(step) && !effects.includes(`${part}.${step}`),
  );
  if (missing.length > 0) faults.push(`${part} has not done ${missing.join(", ")}`);
  if (part === "main" && line.ends[0]?.status !== "done")
    faults.push(`it ended with ${JSON.stringify(line.ends[0])}`);
  return faults;
}
