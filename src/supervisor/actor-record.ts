import type { ActorHandle } from "../actors/hosts.ts";
import type { CommandPlace } from "../features/background/commands.ts";
import type { JudgedCall } from "../features/background/gated-runs.ts";
import type { ActorAtRest, EndedRun } from "../journal/session-state.ts";
import type { Compaction, CompactRequest } from "../mailbox/compacted.ts";
import { addUsage, noUsage, textOf, totalTokens, type Usage } from "../mailbox/conversation.ts";
import type { ActorId, CallId } from "../mailbox/ids.ts";
import type {
  ActorSpec,
  AgentTool,
  LastTurn,
  OpenTurn,
  Reply,
  Status,
  Summary,
  Todo,
  Turn,
} from "../mailbox/messages.ts";
import { lastLocation, receiptsOf, todoOf, toolsWith, usageOf } from "../mailbox/turns.ts";
import type { Location } from "../mailbox/worktree.ts";
import type { HookedCall } from "../policy/hooks/results.ts";
import { Inbox } from "./inbox.ts";
import { type Lifecycle, queued } from "./lifecycle.ts";
import type { Activity } from "./view.ts";

/** A call that was let go and has not ended. */
export interface RunningCall extends JudgedCall, CommandPlace {
  readonly tool: string;
  readonly title: string;
  /** It runs in the agent's own thread. */
  readonly local: boolean;
  /** Its own deadline, in milliseconds from its start. */
  readonly timeoutMs?: number;
  readonly startedAt: number;
  /** Files it may write to, absolute; null: any. */
  readonly writes: readonly string[] | null;
  /** As hooks know it. */
  readonly hooked: HookedCall;
  /** What a hook said to the model before it ran; told with the result. */
  readonly context?: string;
}

/** On whose behalf an actor runs this time. */
export interface Errand {
  /** Who gets the result; null: the person. */
  readonly owner: ActorId | null;
  /** The call that waits for it, or started it. */
  readonly call: CallId | null;
  /** The result is told, not returned. */
  readonly background: boolean;
}

export const FOR_THE_PERSON: Errand = { owner: null, call: null, background: false };

/** What the supervisor keeps of one actor; its conversation lives in its own thread and in the journal. */
export class ActorRecord {
  spec: ActorSpec;
  errand: Errand;
  /** How often it was set going. */
  run = 1;
  /** Its runs that had ended when the session was taken up: who asked for them may ask again. */
  earlier: readonly EndedRun[] = [];
  child: Lifecycle = queued;
  handle: ActorHandle | null = null;
  /** The calls that run for it now, in the order they began. */
  readonly calls = new Map<CallId, RunningCall>();
  /** The model cannot be had at the moment. */
  wait: Extract<Activity, { type: "retrying" }> | null = null;
  /** Of every request answered for it, told by the gateway: true also when its thread is gone. */
  usage: Usage = noUsage;
  costUsd = 0;
  /** Turns taken, as recorded; dropped when a sub-agent has ended. */
  turns: Turn[];
  /** The number of the last turn that was taken. */
  turnsTaken: number;
  /** A process before this one had it. */
  restored = false;
  /** Where it works, once a call has moved it. */
  #place: Location | null = null;
  /** Its newest turn does not know of that yet. */
  #justMoved = false;
  /** The last text it said, salvaged when it can say no more. */
  said = "";
  /** What it had answered when the program died, before its edits were back; null: nothing, or they are. */
  answerBefore: Summary | null = null;
  /** Its own list of steps. */
  todo: readonly Todo[];
  /** What it does of the session's tasks, in words; null: it has taken none up. */
  task: string | null = null;
  /** What it is to hear. */
  readonly owed: Inbox;
  /** The reply whose calls run now; null: the model's turn. */
  reply: Reply | null = null;
  /** What its last thread knew of that reply's calls. */
  open: OpenTurn | null = null;
  /** What its questions of this turn were answered, or will be: a new thread asks again and gets the same. */
  readonly answers = new Map<string, Promise<unknown>>();
  /** What it had answered when news made it go on: part of its last answer. */
  #answers: string[] = [];
  /** The person wants its conversation smaller, and hears what came of it. */
  wish: (CompactRequest & { readonly settle: (compaction: Compaction) => void }) | null = null;
  /** What keeps it from ending; null: nothing. */
  keptBy: Extract<Activity, { type: "tool" }> | null = null;
  /** Calls of it that wait to go on. */
  readonly goOn: Array<() => void> = [];
  readonly children: ActorId[] = [];
  readonly createdAt: number;
  startedAt: number | null = null;
  endedAt: number | null = null;
  lastSignAt: number;
  /** Calls of its own thread that wait to be allowed. */
  judging = 0;
  /** Questions of it that were not answered yet. */
  answering = 0;
  /** What a watch has found wrong. */
  trouble: string | null = null;
  /** Where another agent writes to the same file, in words. */
  overlap: string | null = null;
  summary: Summary | null = null;
  /** Milliseconds from its start until it is stopped; null: none. */
  deadlineMs: number | null = null;
  /** Aborted when it is told to stop, and when it has ended: ends what runs for it outside its thread. */
  stopping = new AbortController();
  /** Aborted when nothing of it may run any more: also its commands in the background. */
  life = new AbortController();
  /** Agent calls the model has begun to write in this turn: threads to warm up. */
  begun = 0;
  /** How often in a row hooks have made it go on. */
  goneOn = 0;
  /** Whoever is to have its summary has it. */
  delivered = false;
  #boarded = false;
  #ended = Promise.withResolvers<Summary>();

  constructor(spec: ActorSpec, now: number, errand: Errand = FOR_THE_PERSON) {
    this.spec = spec;
    this.errand = errand;
    this.turns = [...spec.turns];
    this.turnsTaken = spec.turns.at(-1)?.turn ?? 0;
    this.todo = todoOf(spec.turns);
    this.owed = new Inbox(spec.heard);
    this.createdAt = now;
    this.lastSignAt = now;
  }

  get id(): ActorId {
    return this.spec.id;
  }

  /** The only folder its paths resolve in. */
  get root(): string {
    return this.#place?.root ?? this.spec.inherited?.root ?? this.spec.root;
  }

  /** Where it stands. */
  get cwd(): string {
    if (this.#justMoved && this.#place) return this.#place.cwd;
    return this.turns.at(-1)?.cwd ?? this.spec.inherited?.cwd ?? this.root;
  }

  /** Where it has moved to; null: it is where it began. */
  get place(): Location | null {
    return this.#place;
  }

  /** It works there from its next call on. */
  move(place: Location): void {
    this.#place = place;
    this.#justMoved = true;
  }

  /** The one summary of this run; never rejects. */
  get ended(): Promise<Summary> {
    return this.#ended.promise;
  }

  /** Delivers the summary of this run, also when the next one has begun meanwhile. */
  get deliver(): (summary: Summary) => void {
    const { resolve, promise } = this.#ended;
    return (summary) => {
      if (this.#ended.promise === promise) this.delivered = true;
      resolve(summary);
    };
  }

  /** Whether another turn of it would be like any other, not its last. */
  get mayTakeTurns(): boolean {
    const { maxTurns, tokenBudget = Number.POSITIVE_INFINITY } = this.spec;
    return this.turnsTaken < maxTurns && totalTokens(usageOf(this.turns)) < tokenBudget;
  }

  /**
   * It goes on after its answer. News are no new question, so what it had answered stays; a person's words are,
   * and then it answers anew.
   */
  goesOnAfter(answer: string): void {
    if (this.owed.hasMessages) this.#answers = [];
    else if (answer !== "" && answer !== this.#answers.at(-1)) this.#answers.push(answer);
  }

  /** The summary with what it had answered before. Silence about news takes nothing back. */
  withEarlierAnswers(summary: Summary): Summary {
    const before = this.#answers;
    // Data is its last answer alone.
    if (before.length === 0 || this.spec.outputSchema) return summary;
    if (summary.text !== "" && summary.text !== before.at(-1))
      return { ...summary, text: [...before, summary.text].join("\n\n") };
    const { reason: _, ...silent } = summary;
    const text = before.join("\n\n");
    return summary.status === "partial" ? { ...silent, status: "done", text } : { ...summary, text };
  }

  /** Deferred tools that it was started without: it is told of them, and they are its own from then on. */
  addDeferredTools(tools: readonly AgentTool[]): void {
    if (tools.length > 0)
      this.spec = { ...this.spec, tools: [...toolsWith(this.spec.tools, [{ tools: [...tools] }])] };
  }

  /** All that one more thread needs to be this actor: what it is by now, and the turn it is in. */
  specForThread(last: LastTurn | null): ActorSpec {
    const first = !this.#boarded;
    this.#boarded = true;
    const { pending: _, last: __, compact: ___, ...own } = this.spec;
    const spec = this.wish === null ? own : { ...own, compact: compactRequest(this.wish) };
    if (this.reply) {
      const open = this.open ?? this.#nothingDone(this.reply);
      const pending = { reply: this.reply, open };
      this.spec = { ...spec, turns: [...this.turns], heard: [...this.reply.heard], pending };
    } else {
      this.owed.drain();
      const end = last === null ? {} : { last };
      this.spec = { ...spec, turns: [...this.turns], heard: [...this.owed.inFlight], ...end };
    }
    if (!first) this.spec = { ...this.spec, attempt: this.spec.attempt + 1 };
    return this.spec;
  }

  #nothingDone({ turn }: Reply): OpenTurn {
    return { turn, results: [], cwd: this.cwd, reads: [], commands: [] };
  }

  /** It has ended and goes on: a new run of the same actor, with all it said before. */
  startNextRun(errand: Errand, moreTurns: number): void {
    this.errand = errand;
    this.run += 1;
    this.spec = { ...this.spec, maxTurns: this.turnsTaken + moreTurns };
    this.child = queued;
    this.stopping = new AbortController();
    if (this.life.signal.aborted) this.life = new AbortController();
    this.handle = null;
    this.said = "";
    this.#answers = [];
    this.reply = null;
    this.open = null;
    this.answers.clear();
    this.trouble = null;
    this.overlap = null;
    this.answering = 0;
    this.judging = 0;
    this.startedAt = null;
    this.endedAt = null;
    this.summary = null;
    this.goneOn = 0;
    this.delivered = false;
    this.#ended = Promise.withResolvers();
  }

  /** What it was by the journal, before it goes on or after it has ended. */
  restore({ spec, turns, reply, run, owner, call, background, unheard, earlier }: ActorAtRest): void {
    const heard = [...turns, ...(reply === null ? [] : [reply])].flatMap((one) => one.heard);
    this.spec = { ...spec, tools: [...toolsWith(spec.tools, heard)], turns: [] };
    this.turns = [...turns];
    this.#place = lastLocation(turns);
    this.turnsTaken = turns.at(-1)?.turn ?? 0;
    this.todo = todoOf(turns);
    this.usage = addUsage(usageOf(turns), spec.compacted?.usage ?? noUsage);
    this.run = run;
    this.restored = true;
    this.errand = { owner, call, background };
    this.earlier = earlier;
    for (const { text, from = null, of: [id] = [], notice, system } of unheard) {
      if (notice && id !== undefined)
        this.owed.pushNotice({
          type: "skill",
          title: "",
          id,
          text,
          reads: [],
          ...(system ? { system } : {}),
        });
      else this.owed.pushMessage(text, id === undefined ? undefined : { id, from, text });
    }
    // The threads of the process before had the attempts up to this one.
    this.#boarded = true;
  }

  /** The conversation it had, from the journal: it is to go on. */
  remember({ spec: { messages, inherited }, turns }: ActorAtRest): void {
    this.spec = { ...this.spec, messages, ...(inherited ? { inherited } : {}) };
    this.turns = [...turns];
    this.todo = todoOf(turns);
  }

  /** What it began to be is not needed any more: the journal has it. */
  forget(): void {
    const { inherited: _, pending: __, ...spec } = this.spec;
    this.spec = { ...spec, messages: [], turns: [], heard: [] };
    this.turns = [];
  }

  /** The model answered it. */
  answered(usage: Usage, costUsd: number): void {
    this.usage = addUsage(this.usage, usage);
    this.costUsd += costUsd;
    this.wait = null;
  }

  replied(reply: Reply): void {
    this.reply = reply;
    // What its thread tells of its progress may come later than its end.
    this.said = textOf(reply.content) || this.said;
    this.open = null;
  }

  take(turn: Turn): void {
    this.turns.push(turn);
    this.turnsTaken = turn.turn;
    this.#place = turn.place ?? this.#place;
    this.#justMoved = false;
    this.todo = turn.todo ?? this.todo;
    this.owed.acknowledge(turn);
    this.reply = null;
    this.open = null;
    this.answers.clear();
    this.begun = 0;
  }

  /** A summary in place of the one that the agent can no longer write. */
  salvaged(status: Status, reason: string): Summary {
    return this.withEarlierAnswers({
      status,
      text: this.said,
      reason,
      turns: this.turnsTaken,
      usage: this.usage,
      receipts: receiptsOf(this.turns),
    });
  }
}

/** As data, for its thread. */
export function compactRequest({ instructions, alone }: CompactRequest): CompactRequest {
  return { instructions, ...(alone ? { alone } : {}) };
}
