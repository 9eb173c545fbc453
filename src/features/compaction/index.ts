import { existsSync } from "node:fs";
import { reminderOf } from "../../context/assemble.ts";
import { escapeTags } from "../../context/escape-tags.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Outputs } from "../../journal/outputs.ts";
import { type Clock, within } from "../../lib/clock.ts";
import {
  type CompactEnd,
  type Compacted,
  type Compaction,
  type ElidedResult,
  elidedOf,
  resultText,
} from "../../mailbox/compacted.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Services } from "../../mailbox/services.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { HookCaller } from "../../policy/hooks/hook-results.ts";
import type { HookRunner } from "../../policy/hooks/hook-runner.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Attempt, Joints } from "../../supervisor/joints.ts";

export interface CompactionParts {
  readonly clock: Clock;
  readonly journal: Pick<Journal, "append">;
  readonly outputs: Pick<Outputs, "folder" | "write">;
  readonly hooks: Pick<HookRunner, "has" | "preCompact" | "postCompact" | "sessionStart">;
  /** On whose behalf hooks run. */
  readonly caller: (actor: ActorId, cwd: string) => HookCaller;
}

/** Milliseconds that a resumed agent waits for its earlier results. */
const KEEP_MS = 10_000;

/** One thread of an actor. */
interface CompactSide extends CompactionParts, Attempt {
  readonly signal: AbortSignal;
}

/**
 * Compaction of conversations. Joints: `services` (hooks before, the record and the elided results after), `onEvent`
 * and `prepareStart` (a resumed session).
 */
export function compactionFeature(parts: CompactionParts): Joints {
  return {
    // Files of results end with a session: a resumed one writes them again before it can read them.
    prepareStart(actor) {
      const { compacted } = actor.spec;
      if (!compacted) return null;
      // A lost one cannot be read; its agent starts all the same, and a disk that hangs holds up no agent.
      const kept = keepResults(actor, 0, compacted, parts.outputs);
      const ready = within(parts.clock, KEEP_MS, kept).then(() => null);
      return { tool: "Read", title: "earlier results", ready };
    },
    services: (actor, thread) =>
      compactServices(actor, { ...parts, ...thread, signal: actor.stopping.signal }),
    onEvent(event) {
      if (event.type === "replayed")
        for (const actor of event.actors) keepsResultsIn(actor, parts.outputs.folder);
    },
  };
}

/**
 * Asks an actor to compact its conversation between two turns. The main conversation is woken for that alone if it
 * has ended or ends first. Never rejects.
 */
export function compactionOf(
  actor: Actor | undefined,
  wanted: string,
  wake: (main: Actor) => void,
): Promise<Compaction> {
  if (!actor) return Promise.resolve(left("There is no such conversation in this session yet."));
  if (actor.pendingCompaction !== null) return Promise.resolve(left("It is being made shorter already."));
  const instructions = wanted.trim();
  const { promise, resolve } = Promise.withResolvers<Compaction>();
  const settle = (compaction: Compaction) => {
    actor.setPendingCompaction(null);
    resolve(compaction);
  };
  const alone = () => {
    // The conversations of other ended agents are in the journal only.
    if (actor.id !== MAIN)
      return settle(left("It has ended; its conversation is made shorter when it goes on."));
    actor.setPendingCompaction({ instructions, settle, alone: true });
    wake(actor);
    void actor.ended.then(() => {
      if (actor.pendingCompaction?.settle === settle)
        settle(left("It was stopped before its conversation was shorter."));
    });
  };
  actor.setPendingCompaction({ instructions, settle });
  if (actor.hasEnded) alone();
  else {
    void actor.ended.then(() => {
      // Settled already, unless it ended first.
      if (actor.pendingCompaction?.settle === settle && !actor.pendingCompaction.alone) alone();
    });
  }
  return promise;
}

function left(reason: string): Compaction {
  return { type: "left", reason };
}

/** A resumed session keeps results in its own directory, which a copy of it does not share. */
function keepsResultsIn(actor: Actor, folder: string): void {
  const { compacted } = actor.spec;
  if (compacted) actor.setCompacted({ ...compacted, folder });
}

/** The supervisor's part: hooks before, the record and the elided results after. */
function compactServices(actor: Actor, side: CompactSide): Pick<Services, "compacting" | "compacted"> {
  return {
    async compacting({ trigger, instructions }) {
      const said = await side.hooks.preCompact(
        trigger,
        instructions,
        side.caller(actor.id, actor.cwd),
        side.signal,
      );
      if (said.block !== undefined) return { type: "blocked", reason: said.block };
      return { type: "go", instructions: [instructions, said.context].filter(Boolean).join("\n\n") };
    },
    async compacted(end) {
      const { compacted } = end;
      if (compacted && hasNewSummary(actor, compacted))
        await notifySummary(actor, end.trigger, compacted, side);
      const shown = compacted
        ? await recorded(actor, end, await begunAgain(actor, compacted, side), side)
        : null;
      if (end.trigger === "manual") actor.pendingCompaction?.settle(compactionIn(end));
      return shown;
    },
  };
}

function compactionIn({ before, after, reason }: CompactEnd): Compaction {
  return reason === undefined ? { type: "compacted", before, after } : left(reason);
}

function hasNewSummary({ spec }: Actor, { through }: Pick<Compacted, "through">): boolean {
  return through > (spec.compacted?.through ?? 0);
}

/** Runs the PostCompact hooks, which read the summary. */
async function notifySummary(
  actor: Actor,
  trigger: CompactEnd["trigger"],
  { messages: [summary] }: Pick<Compacted, "messages">,
  { hooks, caller, signal }: CompactSide,
): Promise<void> {
  if (summary === undefined || !hooks.has("PostCompact", [trigger])) return;
  const texts = blocksOf(summary).flatMap((block) => (block.type === "text" ? [block.text] : []));
  await hooks.postCompact(trigger, texts.join("\n"), caller(actor.id, actor.cwd), signal);
}

/**
 * Runs the SessionStart hooks again, as their first text is summarized with the rest, and puts theirs next to the
 * summary.
 */
async function begunAgain(
  actor: Actor,
  compacted: Omit<Compacted, "folder">,
  { hooks, caller, signal }: CompactSide,
): Promise<Omit<Compacted, "folder">> {
  if (actor.id !== MAIN || !hasNewSummary(actor, compacted) || !hooks.has("SessionStart", ["compact"]))
    return compacted;
  const { context = "" } = await hooks.sessionStart("compact", caller(actor.id, actor.cwd), signal);
  const [summary, ...others] = compacted.messages;
  if (context === "" || summary?.role !== "user") return compacted;
  const words = { type: "text" as const, text: reminderOf([escapeTags(context)]) };
  return { ...compacted, messages: [{ ...summary, content: [...blocksOf(summary), words] }, ...others] };
}

async function recorded(
  actor: Actor,
  { trigger, before, after }: CompactEnd,
  wanted: Omit<Compacted, "folder">,
  { journal, outputs, isCurrent }: CompactSide,
): Promise<Compacted> {
  const { turn, through, elided } = wanted;
  if (Math.max(turn, through, elided) > actor.turnsTaken)
    throw new Error(`No conversation of ${actor.turnsTaken} turns can be shown like this.`);
  const from = actor.spec.compacted?.elided ?? 0;
  let compacted: Compacted = { ...wanted, folder: outputs.folder };
  try {
    await keepResults(actor, from, compacted, outputs);
  } catch {
    // A result that could not be saved stays in the conversation.
    compacted = { ...compacted, elided: Math.min(from, elided) };
  }
  await journal.append({ type: "compacted", actor: actor.id, compacted, trigger, before, after });
  // What the journal says holds for the next thread too.
  actor.setCompacted(compacted);
  if (!isCurrent())
    throw new Error(
      "This request comes from an earlier attempt of the agent; only the current one is answered.",
    );
  return compacted;
}

/** Saves whole results to which the conversation only refers, each in its own file, for the session (A19.3). */
async function keepResults(
  { id: actor, turns }: Actor,
  from: number,
  { through, elided, folder }: Compacted,
  outputs: Pick<Outputs, "write">,
): Promise<void> {
  const results = turns
    .filter(({ turn }) => turn > Math.max(from, through) && turn <= elided)
    .flatMap(({ messages, turn }) => elidedOf(messages, turn, { actor, folder }));
  // One after the other: there may be many, and only this agent waits for the disk.
  for (const result of results) if (!existsSync(result.path)) await keep(result, outputs);
}

function keep({ path, block }: ElidedResult, outputs: Pick<Outputs, "write">): Promise<string> {
  const [name = path] = path.split("/").slice(-1);
  return outputs.write(name.replace(/\.md$/, ""), resultText(block.content));
}
