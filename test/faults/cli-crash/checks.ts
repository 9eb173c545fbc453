import { readFileSync } from "node:fs";
import { join } from "node:path";
import { worktreeLine } from "../../../src/features/isolation/worktree-result.ts";
import { journalFile } from "../../../src/journal/paths.ts";
import type { JournalRecord } from "../../../src/journal/session-events.ts";
import { sessionStateOf } from "../../../src/journal/session-state.ts";
import type { MessagesServer } from "../../support/messages-server.ts";
import { conversationsOf, faultsIn } from "../checker.ts";
import { unknownResults } from "../checks/effects.ts";
import { lookAtJournal } from "../checks/journal.ts";
import { reportOf } from "../play.ts";
import { AGENTS, type CliPlay, RUNS } from "./play.ts";
import { type Place, type ProgramEnd, sessionFolder, startProgram } from "./program.ts";
import { settleConflicts } from "./settle-conflicts.ts";

const MAX_MB = 900;

interface Evidence {
  readonly end: ProgramEnd;
  readonly place: Place;
  readonly play: CliPlay;
  readonly git: (...args: string[]) => string;
  readonly before: readonly Buffer[];
  readonly server: MessagesServer;
  readonly peakMb: number;
}

/** What of the session is not as promised. What stayed on branches is brought in first, by the commands that were printed. */
export async function agentFaults(
  evidence: Evidence,
): Promise<{ readonly faults: readonly string[]; readonly broughtIn: readonly string[] }> {
  const { place, play, before, server, peakMb } = evidence;
  const folder = sessionFolder(place.home);
  if (folder === null) return { faults: ["no session was ever opened"], broughtIn: [] };
  const { records } = recordsOf(place);
  const effects = readFileSync(place.log, "utf8").split("\n").slice(0, -1);
  const requests = server.requests
    .filter(({ path }) => !path.includes("count_tokens"))
    .map(({ rawBody }) => rawBody);
  const { home, root } = place;
  const brought = await bringIn(records, place);
  const faults = [
    ...faultsIn({
      ...{ home: join(home, ".troupe"), folder, before, requests, effects, mark: root, peakMb },
      ...{ maxMb: MAX_MB, ended: true },
    }),
    ...brought.faults,
    ...summaryFaults(records),
    ...repeatedCalls(records),
    ...lineFaults(place, play),
  ];
  return { faults, broughtIn: brought.reasons };
}

export function countsOf(place: Place): { readonly unknown: number } {
  return { unknown: unknownResults([...conversationsOf(sessionStateOf(recordsOf(place).records)).values()]) };
}

function recordsOf({ home }: Place) {
  const folder = sessionFolder(home);
  return lookAtJournal(folder === null ? Buffer.alloc(0) : readFileSync(journalFile(folder)), []);
}

/** Each agent is spawned once and ends well; each report is heard once by the main conversation. */
function summaryFaults(records: readonly JournalRecord[]): string[] {
  const faults: string[] = [];
  const spawned = records.flatMap(({ event }) =>
    event.type === "spawn" && event.spec.parent !== null ? [event.spec.description.replace("part ", "")] : [],
  );
  if (spawned.toSorted().join() !== [...AGENTS].sort().join())
    faults.push(`these agents were started: ${spawned.join(", ")}`);
  for (const { event } of records)
    if (event.type === "summary" && event.summary.status !== "done")
      faults.push(
        `${event.actor} ended ${event.summary.status}: ${event.summary.text} ${event.summary.reason}`,
      );
  const heard = records
    .flatMap(({ event }) =>
      event.type === "turn" && event.actor === "main" ? [JSON.stringify(event.turn.messages)] : [],
    )
    .join("\n");
  const told = records
    .flatMap(({ event }) =>
      event.type === "turn" && event.actor === "main" ? [JSON.stringify(event.turn.heard)] : [],
    )
    .join("\n");
  for (const name of RUNS) {
    const times = [heard, told].map((text) => text.split(reportOf(name)).length - 1);
    if (Math.max(...times) !== 1)
      faults.push(`the report of ${name} stands ${times.join(" + ")} times in what main heard`);
  }
  return faults;
}

/** A call whose result was recorded is not let go again. */
function repeatedCalls(records: readonly JournalRecord[]): string[] {
  const faults: string[] = [];
  const ended = new Set<string>();
  for (const { event } of records) {
    if (event.type === "after" && event.result) ended.add(event.call);
    if (event.type === "before" && event.decision === "go" && ended.has(event.call))
      faults.push(`the call ${event.call} was let go again after its result was recorded`);
  }
  return faults;
}

/** Each line of an agent is in its file once, and no file has a mark of a conflict. */
function lineFaults({ repository }: Place, { written }: CliPlay): string[] {
  return written.flatMap(({ file, line }) => {
    const text = textOf(join(repository, file));
    const times = text.split("\n").filter((one) => one === line).length;
    const marks = /^(?:<{7}|>{7})/m.test(text) ? [`${file} has marks of a conflict`] : [];
    return times === 1 ? marks : [`${JSON.stringify(line)} is ${times} times in ${file}`, ...marks];
  });
}

/** By the command that its result names; a conflict that it meets is settled as it says. */
async function bringIn(records: readonly JournalRecord[], place: Place) {
  const faults: string[] = [];
  const reasons: string[] = [];
  for (const { event } of records) {
    const tree = event.type === "summary" ? event.summary.worktree : undefined;
    if (event.type !== "summary" || !tree || tree.outcome === "merged") continue;
    if (tree.outcome === "empty") {
      faults.push(`${event.actor} has no edits: ${tree.reason ?? ""}`);
      continue;
    }
    const merge = () => startProgram(["worktrees", "merge", event.actor], place, {}).ended;
    const failed = ({ out, err }: ProgramEnd) =>
      `troupe worktrees merge ${event.actor} (${worktreeLine(tree, event.actor)}): ${out} ${err}`;
    reasons.push(tree.reason ?? tree.outcome);
    const first = await merge();
    if (first.code === 0) continue;
    const unsettled = settleConflicts(first.err, tree, place);
    if (unsettled !== null) faults.push(`${unsettled}: ${failed(first)}`);
    if (!/conflict/.test(worktreeLine(tree, event.actor)))
      faults.push(`a conflict that nobody told of: ${failed(first)}`);
    const second = await merge();
    if (second.code !== 0) faults.push(`after it was settled: ${failed(second)}`);
  }
  return { faults, reasons };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
