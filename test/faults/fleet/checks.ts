import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { journalFile } from "../../../src/journal/paths.ts";
import type { JournalRecord } from "../../../src/journal/session-events.ts";
import { sessionStateOf } from "../../../src/journal/session-state.ts";
import { conversationsOf, faultsIn } from "../checker.ts";
import { unknownResults } from "../checks/effects.ts";
import { lookAtJournal } from "../checks/journal.ts";
import { type Place, sessionFolder } from "../cli-crash/program.ts";
import { remainsIn } from "../cli-crash/remains.ts";
import type { Served, Strike } from "./loop.ts";
import { type FleetPlay, sharedName } from "./play.ts";

const MAX_MB = 1_500;
/** Milliseconds after the return of the server in which all must be at work (design note, section 11). */
const BACK_MS = 30_000;

export interface FleetFigures {
  readonly seconds: number;
  readonly agents: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly attempts: number;
  readonly turns: number;
  readonly requests: number;
  readonly questions: number;
  readonly unknown: number;
  /** Tokens that the model has served, and that the session has booked. */
  readonly served: number;
  readonly booked: number;
  readonly lines: number;
  readonly strikes: Readonly<Record<string, number>>;
  /** Seconds from the death of a runner to the next attempt of its agents: median, 95th percentile, most. */
  readonly resumedAfter: readonly number[];
  /** The same, without agents whose next runner was lost, too, or whose server or session was away in the meantime: that time does not count. */
  readonly resumedUndisturbed: readonly number[];
  /** Seconds from the return of the server until all agents that were at work on runners left alone have gone on. */
  readonly back: readonly number[];
  readonly peakMb: number;
  readonly left: Left;
}

/** A run of that many seconds also waits until the engine has removed what killed runners had. */
export const LONG_RUN_SECONDS = 300;

/** What is left on runners, and in the engine. */
export interface Left {
  readonly trees: readonly { readonly runner: string; readonly tree: string }[];
  readonly engine: { readonly waiting: number; readonly running: number; readonly blobs: number };
}

interface Evidence {
  readonly place: Place;
  readonly play: FleetPlay;
  readonly git: (...args: string[]) => string;
  readonly served: Served;
  readonly strikes: readonly Strike[];
  /** When each runner died. The test kills runners, and so do its poisonous agents. */
  readonly deaths: ReadonlyMap<string, readonly number[]>;
  readonly seconds: number;
  readonly before: readonly Buffer[];
  readonly peakMb: number;
  readonly left: Left;
  /** When the session ended, by the wall clock. */
  readonly endedAt: number;
}

/** What is not as promised, one sentence each, and the figures of the run. */
export async function fleetFaults(
  evidence: Evidence,
): Promise<{ readonly faults: string[]; readonly figures: FleetFigures }> {
  const { place, play, before, peakMb, served, strikes, seconds } = evidence;
  const folder = sessionFolder(place.home);
  const { records } = lookAtJournal(
    folder === null ? Buffer.alloc(0) : readFileSync(journalFile(folder)),
    [],
  );
  const effects = readFileSync(place.log, "utf8").split("\n").slice(0, -1);
  const questions = readFileSync(join(place.root, "questions.log"), "utf8").split("\n").slice(0, -1);
  const statuses: Record<string, number> = {};
  for (const { event } of records)
    if (event.type === "summary") statuses[event.summary.status] = (statuses[event.summary.status] ?? 0) + 1;
  const faults = [
    ...faultsIn({
      ...{
        home: join(place.home, ".troupe"),
        folder: folder ?? "",
        before,
        requests: [],
        effects,
        mark: place.root,
      },
      ...{ peakMb, maxMb: MAX_MB, ended: true },
    }),
    ...endFaults(records, play),
    ...poisonFaults(records, play),
    ...attemptFaults(records),
    ...questionFaults(questions, strikes),
    ...lineFaults(place, play),
    ...remainFaults(evidence),
  ];
  const booked = bookedTokens(records);
  const resumed = resumedAfter(records, strikes);
  const back = backAfter(records, evidence);
  for (const late of back.filter((after) => after * 1000 > BACK_MS))
    faults.push(`an agent went on ${late} s after the server was back`);
  if (booked > served.tokens) faults.push(`${booked} tokens were booked, and ${served.tokens} served`);
  const figures: FleetFigures = {
    ...{
      seconds,
      left: evidence.left,
      agents: play.agents.size,
      statuses,
      peakMb: Math.round(peakMb),
      booked,
    },
    attempts: records.filter(({ event }) => event.type === "boarded").length,
    turns: records.filter(({ event }) => event.type === "turn").length,
    ...{
      requests: served.requests,
      served: served.tokens,
      questions: questions.length,
      lines: play.written.length,
    },
    unknown: unknownResults([...conversationsOf(sessionStateOf(records)).values()]),
    strikes: Object.fromEntries(
      [...Map.groupBy(strikes, ({ what }) => what)].map(([what, all]) => [what, all.length]),
    ),
    resumedAfter: spread(resumed.map(({ seconds }) => seconds)),
    resumedUndisturbed: spread(resumed.flatMap(({ seconds, isDisturbed }) => (isDisturbed ? [] : [seconds]))),
    back,
  };
  return { faults, figures };
}

function partOf({ description }: { readonly description: string }): string {
  return description.replace("part ", "");
}

/** Each agent was started once, and ended as its part says. */
function endFaults(records: readonly JournalRecord[], { agents }: FleetPlay): string[] {
  const names = new Map<string, string>();
  const faults: string[] = [];
  for (const { event } of records)
    if (event.type === "spawn" && event.spec.parent !== null) names.set(event.spec.id, partOf(event.spec));
  const started = [...names.values()].toSorted().join();
  if (started !== [...agents.keys()].toSorted().join()) faults.push(`other agents were started: ${started}`);
  for (const { event } of records) {
    const name = event.type === "summary" ? names.get(event.actor) : undefined;
    if (event.type !== "summary" || name === undefined) continue;
    const { status, text, reason, worktree } = event.summary;
    const due = agents.get(name);
    const isDue =
      due === status || // What it waited for may have been cut off before it was stopped.
      (due === "poison" && ["done", "failed"].includes(status)) ||
      (due === "cancelled" && status === "done");
    if (!isDue)
      faults.push(`${name} (${event.actor}) ended ${status}: ${reason ?? ""} ${text.slice(0, 300)}`);
    if (due === "done" && worktree !== undefined && !["merged", "empty"].includes(worktree.outcome))
      faults.push(`the edits of ${name} (${event.actor}) are ${worktree.outcome}: ${worktree.reason ?? ""}`);
  }
  return faults;
}

/** A poison that is harmless would prove nothing: its commands kill their runner, so the agent never hears how they ended. */
function poisonFaults(records: readonly JournalRecord[], { agents }: FleetPlay): string[] {
  const state = sessionStateOf(records);
  const conversations = conversationsOf(state);
  return [...state.actors].flatMap(([id, { spec, summary }]) => {
    const name = spec.description.replace("part ", "");
    if (agents.get(name) !== "poison" || summary?.status !== "done") return [];
    const isHarmless = unknownResults([conversations.get(id) ?? []]) === 0;
    return isHarmless ? [`no command of ${name} (${id}) killed its runner`] : [];
  });
}

/** Attempts of an actor only grow, and no call whose result is recorded is let go again. */
function attemptFaults(records: readonly JournalRecord[]): string[] {
  const faults: string[] = [];
  const latest = new Map<string, number>();
  const boarded = new Set<string>();
  const ended = new Set<string>();
  for (const { event } of records) {
    if (event.type === "start") {
      if (event.attempt <= (latest.get(event.actor) ?? 0))
        faults.push(
          `attempt ${event.attempt} of ${event.actor} was started after ${latest.get(event.actor)}`,
        );
      latest.set(event.actor, event.attempt);
    }
    if (event.type === "boarded") {
      const id = `${event.actor} ${event.attempt}`;
      if (boarded.has(id)) faults.push(`attempt ${id} has boarded twice`);
      boarded.add(id);
    }
    if (event.type === "after" && event.result) ended.add(event.call);
    if (event.type === "before" && event.decision === "go" && ended.has(event.call))
      faults.push(`the call ${event.call} was let go again after its result was recorded`);
  }
  return faults;
}

/** A question is asked again only if the session died before its answer was recorded. */
function questionFaults(questions: readonly string[], strikes: readonly Strike[]): string[] {
  const times = new Map<string, number>();
  for (const line of questions) {
    const key = line.replace(/"tool_use_id":"[^"]*"/, "").match(/"command":"(?:[^"\\]|\\.)*"/)?.[0] ?? line;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  const most = strikes.filter(({ what }) => what === "session killed").length;
  const twice = [...times].filter(([, count]) => count > 1);
  // Each death of the session may have cut off the answers of the moment.
  return twice.length > most * 8 ? twice.map(([key, count]) => `asked ${count} times: ${key}`) : [];
}

/** Each line of an agent is in its file once and in order, and no file has a conflict marker. */
function lineFaults({ repository }: Place, { written, agents }: FleetPlay): string[] {
  const files = new Map<string, string[]>();
  const textIn = (file: string) => {
    const text = files.get(file) ?? linesOf(join(repository, file));
    files.set(file, text);
    return text;
  };
  const faults = written.flatMap(({ file, line }) => {
    const count = textIn(file).filter((one) => one === line).length;
    return count === 1 ? [] : [`${JSON.stringify(line)} is ${count} times in ${file}`];
  });
  const places = [...agents.keys()].filter((name) => /^w\d+$/.test(name));
  for (const [file, lines] of files) {
    if (lines.some((line) => /^(?:<{7}|>{7})/.test(line))) faults.push(`${file} has marks of a conflict`);
    const others = lines.filter(
      (line) => line !== "-" && line !== "" && !places.includes(line.replace(":", "")),
    );
    const known = written.filter((one) => one.file === file).length + (file.startsWith("own/") ? 1 : 0);
    if (others.length !== known) faults.push(`${file} has ${others.length} lines where ${known} are due`);
  }
  const shared = new Set(places.map((name) => sharedName(Number(name.slice(1)))));
  for (const file of shared) if (!existsSync(join(repository, file))) faults.push(`${file} is gone`);
  return faults;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}

/** Nothing is left of processes, worktrees, refs and jobs. */
function remainFaults({ place, play, git, left, strikes, seconds, endedAt }: Evidence): string[] {
  const expected = new Set(play.written.map(({ file }) => file));
  for (const name of git("ls-files").split("\n")) expected.add(name);
  const remains = remainsIn(place, expected, git);
  const { waiting, running, blobs } = left.engine;
  const isCalm = strikes.length === 0;
  return [
    // A bundle that a killed session was reading stays in the temporary directory of the system.
    ...remains.filter((line) => isCalm || !line.includes("troupe-travel-")),
    // A runner that did not hear of the end waits for the session for as long as it takes.
    ...left.trees
      .filter(({ runner }) => !wasApart(runner, strikes, endedAt))
      .map(({ runner, tree }) => `a worktree on ${runner} is left: ${tree}`),
    ...(waiting > 0 ? [`${waiting} attempts wait in the engine`] : []),
    ...(running > 0 && (isCalm || seconds >= LONG_RUN_SECONDS)
      ? [`the engine has ${running} attempts that nothing runs`]
      : []),
    // What a runner puts when its session has ended, because it was apart, stays for a day.
    ...(blobs > 0 && !strikes.some(({ whom }) => wasApart(whom, strikes, endedAt))
      ? [`the engine has ${blobs} blobs`]
      : []),
  ];
}

/** Something kept the runner and the session from each other within the last minute. */
function wasApart(runner: string, strikes: readonly Strike[], endedAt: number): boolean {
  const both = [runner, "session", "redis", "postgres"];
  return strikes.some(({ whom, until }) => until > endedAt - 60_000 && both.includes(whom));
}

function bookedTokens(records: readonly JournalRecord[]): number {
  let sum = 0;
  for (const { event } of records) if (event.type === "summary") sum += event.summary.usage.input_tokens;
  return sum;
}

/** Seconds until the next attempt of each agent whose runner was killed, or frozen for longer than the lease. */
function resumedAfter(
  records: readonly JournalRecord[],
  strikes: readonly Strike[],
): { readonly seconds: number; readonly isDisturbed: boolean }[] {
  const boarded = records.flatMap(({ at, event }) =>
    event.type === "boarded" ? [{ at: Date.parse(at), ...event }] : [],
  );
  const ended = new Map(
    records.flatMap(({ at, event }) =>
      event.type === "summary" ? [[event.actor, Date.parse(at)] as const] : [],
    ),
  );
  return strikes.flatMap(({ what, whom, at, until }) => {
    if (what !== "runner killed" && !(what === "runner frozen" && until - at > 45_000)) return [];
    const mine = new Map<string, number>();
    for (const one of boarded) if (one.at < at) mine.set(one.actor, one.runner === whom ? one.attempt : 0);
    return [...mine].flatMap(([actor, attempt]) => {
      if (attempt === 0 || (ended.get(actor as never) ?? Number.POSITIVE_INFINITY) < at) return [];
      const next = boarded.find((one) => one.actor === actor && one.attempt > attempt && one.at > at);
      if (next === undefined) return [];
      const isDisturbed =
        next.attempt > attempt + 1 ||
        strikes.some(
          (strike) =>
            strike.at < next.at &&
            strike.until > at &&
            !strike.what.startsWith("runner") &&
            strike.whom !== whom,
        );
      return [{ seconds: (next.at - at) / 1000, isDisturbed }];
    });
  });
}

/** For each death of the server: seconds from its return until the last of the agents that were at work goes on. */
function backAfter(records: readonly JournalRecord[], { play, strikes, deaths }: Evidence): number[] {
  return strikes.flatMap(({ what, at, until }) => {
    if (what !== "server killed") return [];
    const runnerOf = new Map<string, { readonly runner: string; readonly since: number }>();
    const idle = new Set<string>();
    for (const { at: time, event } of records.filter((record) => Date.parse(record.at) < until)) {
      if (event.type === "boarded" && Date.parse(time) < at)
        runnerOf.set(event.actor, { runner: event.runner, since: Date.parse(time) });
      if (event.type === "summary") idle.add(event.actor);
      if (event.type !== "spawn" || event.spec.parent === null) continue;
      // It may wait for its own agent.
      idle.add(event.spec.parent);
      // It sleeps until it is cancelled.
      if (play.agents.get(partOf(event.spec)) === "cancelled") idle.add(event.spec.id);
    }
    const end = until + BACK_MS;
    const wasLeftAlone = (runner: string, since: number) =>
      !(deaths.get(runner) ?? []).some((death) => death > since && death < end) &&
      !strikes.some(
        (strike) => [runner, "session"].includes(strike.whom) && strike.until > since && strike.at < end,
      );
    const isServerUp = !strikes.some(
      (strike) => strike.what === "server killed" && strike.at >= until && strike.at < end,
    );
    const seconds = [...runnerOf].flatMap(([actor, { runner, since }]) => {
      if (idle.has(actor) || !isServerUp || !wasLeftAlone(runner, since)) return [];
      const next = records.find(
        (record) =>
          Date.parse(record.at) > until && "actor" in record.event && String(record.event.actor) === actor,
      );
      return [next === undefined ? Number.POSITIVE_INFINITY : (Date.parse(next.at) - until) / 1000];
    });
    return seconds.length === 0 ? [] : [Math.max(...seconds)];
  });
}

function spread(values: readonly number[]): number[] {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return [at(0.5), at(0.95), at(1)];
}
