import type { JournalRecord } from "../../../src/journal/session-events.ts";
import { resultId } from "../../../src/journal/session-state.ts";
import type { ActorId } from "../../../src/mailbox/ids.ts";

interface Run {
  readonly name: string;
  readonly background: boolean;
  summaries: number;
  heardBy: string[];
}

/**
 * One summary per run of each actor, one record per turn, and each result of the background heard in exactly one turn
 * of exactly one actor (D1). `ended`: the session came to its end, so nothing may be missing either.
 */
export function resultFaults(records: readonly JournalRecord[], ended: boolean): string[] {
  const runs = new Map<string, Run>();
  const latest = new Map<ActorId, number>();
  const turns = new Map<ActorId, number>();
  const faults: string[] = [];
  const begin = (actor: ActorId, run: number, background: boolean) => {
    const name = resultId(actor, run);
    if (runs.has(name)) faults.push(`run ${run} of ${actor} began twice`);
    runs.set(name, { name, background, summaries: 0, heardBy: [] });
    latest.set(actor, run);
  };
  for (const { event } of records) {
    if (event.type === "spawn") begin(event.spec.id, 1, event.background ?? false);
    if (event.type === "reopen") begin(event.actor, event.run, event.background ?? false);
    if (event.type === "summary") {
      const run = runs.get(resultId(event.actor, event.run ?? latest.get(event.actor) ?? 1));
      if (run) run.summaries += 1;
      else faults.push(`there is a summary of ${event.actor}, which never ran`);
    }
    if (event.type === "turn") {
      const { turn, heard } = event.turn;
      const due = (turns.get(event.actor) ?? 0) + 1;
      if (turn !== due) faults.push(`turn ${turn} of ${event.actor} is recorded where ${due} is due`);
      turns.set(event.actor, turn);
      for (const id of heard.flatMap(({ of = [] }) => of))
        runs.get(id)?.heardBy.push(`turn ${turn} of ${event.actor}`);
    }
  }
  return [...faults, ...[...runs.values()].flatMap((run) => faultsOf(run, ended))];
}

function faultsOf({ name, background, summaries, heardBy }: Run, ended: boolean): string[] {
  const faults: string[] = [];
  if (summaries > 1 || (ended && summaries === 0)) faults.push(`${name} has ${summaries} summaries`);
  if (heardBy.length > 1) faults.push(`${name} was heard ${heardBy.length} times: ${heardBy.join(", ")}`);
  if (background && ended && heardBy.length === 0) faults.push(`${name} was never heard`);
  if (!background && heardBy.length > 0)
    faults.push(`${name} was returned, and told in ${heardBy.join(", ")}`);
  return faults;
}
