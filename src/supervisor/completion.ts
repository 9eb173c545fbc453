import { type HookSide, runStopHooks } from "../features/hooks/tool-hooks.ts";
import { type Clock, pause } from "../mailbox/clock.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { ActorRecord } from "./actor-record.ts";

/** Something of an actor that runs beside its conversation. */
export interface Kept {
  readonly title: string;
  readonly ended: Promise<unknown>;
  /** Agents come to an end by themselves; a command need not. */
  readonly kind: "agent" | "command";
}

export interface Keeping {
  readonly clock: Clock;
  /** Milliseconds that commands alone keep an actor, at most. */
  readonly ms: number;
  running(): readonly Kept[];
  /** What keeps it has changed. */
  onChange(): void;
}

/**
 * An actor that has answered waits here for news of what runs beside its conversation (A11.5, A19.8): whether it is to
 * go on with them. It ends when nothing of it runs any more, when it is stopped, or when its time is over.
 */
export async function awaitBackground(
  actor: ActorRecord,
  { clock, ms, running, onChange }: Keeping,
): Promise<boolean> {
  const { signal } = actor.stopping;
  const over = new AbortController();
  const abort = () => over.abort();
  signal.addEventListener("abort", abort, { once: true });
  const until = pause(clock, ms, over.signal);
  try {
    for (;;) {
      const kept = running();
      if (signal.aborted || actor.owed.hasNews || kept.length === 0) break;
      actor.keptBy = {
        type: "tool",
        tool: kept[0]?.kind === "command" ? "Bash" : "Agent",
        title: `in the background: ${kept.map(({ title }) => title).join("; ")}`,
      };
      onChange();
      const anyEnd = Promise.race(kept.map(({ ended }) => ended));
      const agents = kept.some(({ kind }) => kind === "agent");
      const stopped = pause(clock, Number.MAX_SAFE_INTEGER, over.signal);
      const timeUp = await Promise.race([
        actor.owed.waitForInput().then(() => false),
        anyEnd.then(() => false),
        agents ? stopped.then(() => true) : until.then(() => true),
      ]);
      if (timeUp) break;
    }
  } finally {
    actor.keptBy = null;
    signal.removeEventListener("abort", abort);
    over.abort();
  }
  return hasPendingInput(actor) && !signal.aborted;
}

/** News alone must not turn an answer into the report of an agent that ran out of turns; somebody's words must be heard. */
export function hasPendingInput({ owed, mayTakeTurns }: ActorRecord): boolean {
  return owed.hasMessages || (owed.hasNews && mayTakeTurns);
}

/** What becomes of an answer when nothing keeps its actor any more. */
export type Conclusion = { readonly type: "goes-on" } | { readonly type: "ends"; readonly summary: Summary };

/** It goes on for what it was told at the last moment, but not once its edits are back: that was the end of its work. */
export function isTheEnd(
  actor: ActorRecord,
  conclusion: Conclusion,
): conclusion is Extract<Conclusion, { readonly type: "ends" }> {
  return conclusion.type === "ends" && (conclusion.summary.worktree !== undefined || !hasPendingInput(actor));
}

/** What an answer meets before it is the end. */
export interface EndSide extends HookSide {
  /** Its edits come back, where it has a tree of its own; null: they do not fit, so it goes on. */
  conclude(summary: Summary): Promise<Summary | null>;
}

/** Hooks have the last word (A5.10): they may make it go on, or add to its answer. Then its edits come back. */
export async function completeRun(actor: ActorRecord, summary: Summary, side: EndSide): Promise<Conclusion> {
  const said = await runStopHooks(actor, summary.text, side);
  if (said.goOn !== undefined && !side.signal.aborted) {
    actor.goneOn += 1;
    actor.owed.pushMessage(said.goOn);
    return { type: "goes-on" };
  }
  // Hooks take time, in which it may have been told something: it hears that before its edits come back.
  if (hasPendingInput(actor) && !side.signal.aborted) {
    actor.goesOnAfter(summary.text);
    return { type: "goes-on" };
  }
  const whole = actor.withEarlierAnswers(summary);
  const { append } = said;
  const last = append === undefined ? whole : { ...whole, text: `${whole.text}\n\n${append}` };
  const concludedWith = await side.conclude(last);
  return concludedWith === null ? { type: "goes-on" } : { type: "ends", summary: concludedWith };
}
