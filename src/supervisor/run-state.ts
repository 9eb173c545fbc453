import type { ActorHandle } from "../actors/hosts.ts";
import type { Activity, ModelWait } from "../events/event.ts";
import type { Compaction, CompactRequest } from "../mailbox/compacted.ts";
import type { ActorId, CallId } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import { type ActorEvent, type Lifecycle, type LifecycleEffect, queued, transition } from "./lifecycle.ts";

/** What an actor is in its present run: part of its record. */
export abstract class RunState {
  runFor: RunFor;
  /** How often it was started. */
  run = 1;
  lifecycle: Lifecycle = queued;
  handle: ActorHandle | null = null;
  /** The model is not available at the moment. */
  wait: ModelWait | null = null;
  /** The last text it said, kept for a summary that it can no longer write. */
  said = "";
  /** The text so far of the reply that the model is writing. */
  writing = "";
  /** The tool of the call that the model is writing, or null. */
  draftedTool: string | null = null;
  /** What keeps it from ending or starting, or null. */
  keptBy: Extract<Activity, { type: "tool" }> | null = null;
  /** The runner that has it, or null if it is here or waits for one. */
  runner: string | null = null;
  /** Runners that were lost with it since its last turn. */
  lostWith: readonly string[] = [];
  /** Why its last attempt left its runner; null once another one has it. */
  whyLeft: string | null = null;
  /** Attempts that were lost or parked since then. */
  attemptsLeft = 0;
  /** Calls that wait for its slot. */
  #returns: (() => void)[] = [];
  startedAt: number | null = null;
  endedAt: number | null = null;
  lastSignAt: number;
  /** Questions of it that have no answer yet. */
  answering = 0;
  remarks: Remarks = NO_REMARKS;
  summary: Summary | null = null;
  /** Aborted when it must stop, and when it has ended: ends what runs for it. */
  stopping = new AbortController();
  /** Aborted when its commands in the background must end, too. */
  life = new AbortController();
  /** Its summary was delivered. */
  delivered = false;
  #ended = Promise.withResolvers<Summary>();
  /** Resolves when this run is moved to the background. */
  moved = Promise.withResolvers<"moved">();

  constructor(runFor: RunFor, now: number) {
    this.runFor = runFor;
    this.lastSignAt = now;
  }

  get hasEnded(): boolean {
    return this.lifecycle.state === "ended";
  }

  /** Also one that is being stopped: it runs nothing more. */
  get isStopped(): boolean {
    return this.lifecycle.state === "cancelling" || this.hasEnded;
  }

  /** The one summary of this run; never rejects. */
  get ended(): Promise<Summary> {
    return this.#ended.promise;
  }

  /** Delivers the summary of this run, also when the next one has begun since then. */
  get deliver(): (summary: Summary) => void {
    const { resolve, promise } = this.#ended;
    return (summary) => {
      if (this.#ended.promise === promise) this.delivered = true;
      resolve(summary);
    };
  }

  /** Applies an event, and returns the effects. */
  advance(event: ActorEvent): readonly LifecycleEffect[] {
    const { next, effects } = transition(this.lifecycle, event);
    this.lifecycle = next;
    return effects;
  }

  start(now: number): void {
    this.startedAt ??= now;
  }

  setHandle(handle: ActorHandle | null): void {
    this.handle = handle;
  }

  /** Resolves when it has its slot again. */
  waitForSlot(): Promise<void> {
    return new Promise((resolve) => this.#returns.push(resolve));
  }

  returnToCalls(): void {
    for (const go of this.#returns.splice(0)) go();
  }

  board(runner: string | null): void {
    this.runner = runner;
    if (runner !== null) this.whyLeft = null;
  }

  keepFor(what: Extract<Activity, { type: "tool" }> | null): void {
    this.keptBy = what;
  }

  /** It has answered, and waits without a loop: a slot that comes is given back. */
  restoreIdle(): void {
    this.lifecycle = { state: "waiting", waits: 0, passive: true };
  }

  amendSummary(summary: Summary): void {
    this.summary = summary;
  }

  noteSign(now: number): void {
    this.lastSignAt = now;
  }

  /** Runs a question of its loop: it and its answer are signs of life. */
  async answer<T>(now: () => number, question: () => Promise<T>): Promise<T> {
    this.lastSignAt = now();
    this.answering += 1;
    try {
      return await question();
    } finally {
      this.answering -= 1;
      this.lastSignAt = now();
    }
  }

  setSaid(text: string): void {
    this.said = text || this.said;
    this.writing = "";
    this.draftedTool = null;
  }

  addWritten(text: string): void {
    this.writing += text;
  }

  draft(tool: string): void {
    this.draftedTool = tool;
  }

  showRemarks(remarks: Partial<Remarks>): void {
    this.remarks = { ...this.remarks, ...remarks };
  }

  showWait(wait: ModelWait | null): void {
    this.wait = wait;
    // The reply is requested again, and starts from its beginning.
    if (wait === null) return;
    this.writing = "";
    this.draftedTool = null;
  }

  protected resetRun(runFor: RunFor): void {
    this.runFor = runFor;
    this.run += 1;
    this.lifecycle = queued;
    this.stopping = new AbortController();
    if (this.life.signal.aborted) this.life = new AbortController();
    this.handle = null;
    this.said = "";
    this.writing = "";
    this.draftedTool = null;
    this.remarks = { ...NO_REMARKS, task: this.remarks.task };
    this.answering = 0;
    this.startedAt = null;
    this.endedAt = null;
    this.summary = null;
    this.delivered = false;
    this.#ended = Promise.withResolvers();
    this.moved = Promise.withResolvers();
  }
}

/** What the live tree shows of an actor in addition to what it does. */
export interface Remarks {
  /** What a watch has found wrong, as a sentence. */
  readonly trouble: string | null;
  /** Where another agent writes to the same file, as a phrase. */
  readonly overlap: string | null;
  /** Which of the session's tasks it works on. */
  readonly task: string | null;
}

export const NO_REMARKS: Remarks = { trouble: null, overlap: null, task: null };

/** On whose behalf an actor runs this time. */
export interface RunFor {
  /** Who gets the result, or null for the user. */
  readonly owner: ActorId | null;
  /** The call that waits for it, or started it. */
  readonly call: CallId | null;
  /** The result is a notice, not the result of the call. */
  readonly background: boolean;
}

export const FOR_THE_USER: RunFor = { owner: null, call: null, background: false };

/** True if it runs for a hook: its owner waits for it, and no call of a model does. */
export function isForHook({ owner, call, background }: RunFor): boolean {
  return owner !== null && call === null && !background;
}

/** The user's request for a shorter conversation, and who waits for the outcome. */
export type PendingCompaction = CompactRequest & { readonly settle: (compaction: Compaction) => void };
