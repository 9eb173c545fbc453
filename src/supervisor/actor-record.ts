import type { ActorAtRest, EndedRun } from "../journal/session-state.ts";
import type { Compacted, CompactRequest } from "../mailbox/compacted.ts";
import { addUsage, noUsage, textOf, totalTokens, type Usage } from "../mailbox/conversation.ts";
import type { ActorId, CallId } from "../mailbox/ids.ts";
import type {
  ActorModel,
  ActorSpec,
  AgentTool,
  CallResult,
  LastTurn,
  OpenTurn,
  Reply,
  Status,
  Summary,
  Todo,
  Turn,
} from "../mailbox/messages.ts";
import { lastLocation, receiptsOf, todoOf, toolsWith, usageOf } from "../mailbox/turns.ts";
import { type Location, pathHere } from "../mailbox/worktree.ts";
import { Inbox } from "./inbox.ts";
import { type Notice, skillNotice } from "./notices.ts";
import { FOR_THE_USER, type PendingCompaction, type RunFor, RunState } from "./run-state.ts";
import type { RunningCall } from "./running-call.ts";

/**
 * What the supervisor keeps of one actor. Only this class writes its fields: others have the type `Actor`, which is
 * read-only.
 */
class ActorRecord extends RunState {
  spec: ActorSpec;
  /** Its runs that had ended when the session was resumed: who asked for them may ask again. */
  earlier: readonly EndedRun[] = [];
  /** Of every request answered for it, as the gateway says: also when its loop has ended. */
  usage: Usage = noUsage;
  costUsd = 0;
  #turns: Turn[];
  /** The number of the last turn that was taken. */
  turnsTaken: number;
  /** A process before this one had it. */
  restored = false;
  /** Where it has moved to, or null if it is where it started. */
  place: Location | null = null;
  /** Its newest turn does not know of that yet. */
  #justMoved = false;
  /** Its answer from before a crash, whose end was not recorded, or null if it had none. */
  recoveredAnswer: Summary | null = null;
  /** Its own list of steps. */
  todo: readonly Todo[];
  readonly inbox: Inbox;
  /** The reply whose calls run now, or null if it is the model's turn. */
  reply: Reply | null = null;
  /** What was known of that reply's calls when its last loop ended. */
  open: OpenTurn | null = null;
  readonly #calls = new Map<CallId, RunningCall>();
  /** What its questions of this turn were answered, or will be: a new loop asks again and gets the same. */
  readonly #answered = new Map<string, Promise<unknown>>();
  /** Its answers of this run that notices made it continue from. */
  #answers: readonly string[] = [];
  pendingCompaction: PendingCompaction | null = null;
  readonly #children: ActorId[] = [];
  readonly createdAt: number;
  /** Milliseconds from the start of a run until it is stopped, or null if there is no such limit. */
  readonly deadlineMs: number | null;
  #hasStarted = false;

  constructor(spec: ActorSpec, now: number, runFor: RunFor, deadlineMs: number | null) {
    super(runFor, now);
    this.spec = spec;
    this.deadlineMs = deadlineMs;
    this.#turns = [...spec.turns];
    this.turnsTaken = spec.turns.at(-1)?.turn ?? 0;
    this.todo = todoOf(spec.turns);
    this.inbox = new Inbox(spec.heard);
    this.createdAt = now;
  }

  get id(): ActorId {
    return this.spec.id;
  }

  /** Turns taken, as recorded; dropped when an agent has ended. */
  get turns(): readonly Turn[] {
    return this.#turns;
  }

  /** The calls that run for it now, in the order they began. */
  get calls(): ReadonlyMap<CallId, RunningCall> {
    return this.#calls;
  }

  get children(): readonly ActorId[] {
    return this.#children;
  }

  /** What people call it. */
  get title(): string {
    return this.spec.description || this.spec.type;
  }

  /** The only directory its paths resolve in. */
  get root(): string {
    return this.place?.root ?? this.spec.inherited?.root ?? this.spec.root;
  }

  /** The same on this machine, for what runs here for an actor on a runner: its files as they were last received. */
  get rootHere(): string {
    return this.spec.isolation === undefined ? this.root : pathHere(this.spec.isolation, this.root);
  }

  get cwd(): string {
    if (this.#justMoved && this.place) return this.place.cwd;
    return this.turns.at(-1)?.cwd ?? this.spec.inherited?.cwd ?? this.root;
  }

  /** Whether another turn of it would be like any other, not its last. */
  get mayTakeTurns(): boolean {
    const { maxTurns, tokenBudget = Number.POSITIVE_INFINITY } = this.spec;
    return this.turnsTaken < maxTurns && totalTokens(usageOf(this.turns)) < tokenBudget;
  }

  // ---- its lifecycle ---------------------------------------------------------------------------

  addChild(id: ActorId): void {
    this.#children.push(id);
  }

  /** Its run is over: only its summary is left. */
  end(summary: Summary, now: number): void {
    this.lifecycle = { state: "ended" };
    this.summary = summary;
    this.endedAt = now;
    this.#calls.clear();
    this.#answered.clear();
    this.reply = null;
    this.open = null;
    this.remarks = { ...this.remarks, trouble: null };
  }

  /** It has ended and continues: a new run of the same actor, with all it said before. */
  startNextRun(runFor: RunFor, moreTurns: number): void {
    this.resetRun(runFor);
    this.spec = { ...this.spec, maxTurns: this.turnsTaken + moreTurns };
    this.#answers = [];
    this.reply = null;
    this.open = null;
    this.#answered.clear();
  }

  // ---- what it does ------------------------------------------------------------------------------

  /** A question of the turn under way, whichever loop asks it: answered once. */
  answerOnce<T>(question: string, answer: () => Promise<T>): Promise<T> {
    const before = this.#answered.get(question);
    // The key names the kind of the question, and so that of its answer.
    if (before) return before as Promise<T>;
    const first = answer();
    this.#answered.set(question, first);
    // The loop that asked gets the error; a second one need not exist.
    first.catch(() => {});
    return first;
  }

  addCall(id: CallId, call: RunningCall): void {
    this.#calls.set(id, call);
  }

  removeCall(id: CallId): void {
    this.#calls.delete(id);
  }

  /** A call of the turn under way has ended with this, which another loop must not do again. */
  noteResult(id: CallId, result: CallResult): void {
    if (this.reply === null) return;
    const { results, ...open } = this.open ?? this.#nothingDone(this.reply);
    const index = Number(id.split(".").at(-1));
    this.open = { ...open, results: [...results.filter((one) => one.index !== index), { index, result }] };
  }

  /** `lost`: the runner that it may have taken with it; `why` is a clause. Calls without a result are asked for again. */
  leaveRunner(lost: string | null, why: string): void {
    this.runner = null;
    this.whyLeft = why;
    this.attemptsLeft += 1;
    if (lost !== null) this.lostWith = [...this.lostWith, lost];
    for (const question of this.#answered.keys())
      if (question.startsWith("before ")) this.#answered.delete(question);
  }

  /** The model has answered it. */
  charge(usage: Usage, costUsd: number): void {
    this.usage = addUsage(this.usage, usage);
    this.costUsd += costUsd;
    this.wait = null;
  }

  /** It works there from its next call on. */
  move(place: Location): void {
    this.place = place;
    this.#justMoved = true;
  }

  takeReply(reply: Reply): void {
    this.reply = reply;
    // What its loop reports of its progress may come later than its end.
    this.setSaid(textOf(reply.content));
    this.open = null;
  }

  takeTurn(turn: Turn): void {
    this.#turns.push(turn);
    this.turnsTaken = turn.turn;
    this.place = turn.place ?? this.place;
    this.#justMoved = false;
    this.lostWith = [];
    this.attemptsLeft = 0;
    this.todo = turn.todo ?? this.todo;
    this.inbox.acknowledge(turn);
    this.reply = null;
    this.open = null;
    this.#answered.clear();
  }

  setPendingCompaction(pending: PendingCompaction | null): void {
    this.pendingCompaction = pending;
  }

  /** It asks this model from its next request on. */
  setModel(model: ActorModel): void {
    this.spec = { ...this.spec, ...model };
  }

  setCompacted(compacted: Compacted): void {
    this.spec = { ...this.spec, compacted };
  }

  /** Deferred tools that it was started without are its own from now on. */
  addDeferredTools(tools: readonly AgentTool[]): void {
    if (tools.length > 0)
      this.spec = { ...this.spec, tools: [...toolsWith(this.spec.tools, [{ tools: [...tools] }])] };
  }

  // ---- its answer ----------------------------------------------------------------------------------

  /**
   * It continues after its answer. A notice is no new question, so its answer stays; a message is one, and
   * then it answers again.
   */
  continueAfter(answer: string): void {
    if (this.inbox.hasMessages) this.#answers = [];
    else if (answer !== "" && answer !== this.#answers.at(-1)) this.#answers = [...this.#answers, answer];
  }

  /** Returns the summary with its earlier answers of this run. Saying nothing to a notice withdraws none of them. */
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

  /** A summary in place of the one that the agent can no longer write. */
  salvage(status: Status, reason: string): Summary {
    return this.withEarlierAnswers({
      status,
      text: [this.said, this.writing].filter(Boolean).join("\n\n"),
      reason,
      turns: this.turnsTaken,
      usage: this.usage,
      receipts: receiptsOf(this.turns),
    });
  }

  // ---- loops and processes that it outlives ----------------------------------------------------------

  /** All that one more loop needs to be this actor: what it is by now, and the turn it is in. */
  specForStart(last: LastTurn | null, notices: readonly Notice[]): ActorSpec {
    const first = !this.#hasStarted;
    this.#hasStarted = true;
    const { pending: _, last: __, compact: ___, ...own } = this.spec;
    const spec =
      this.pendingCompaction === null ? own : { ...own, compact: compactRequest(this.pendingCompaction) };
    if (this.reply) {
      const open = this.open ?? this.#nothingDone(this.reply);
      const pending = { reply: this.reply, open };
      this.spec = { ...spec, turns: [...this.turns], heard: [...this.reply.heard], pending };
    } else {
      // One that only compacts requests no reply: what has changed comes with the next input.
      if (this.pendingCompaction?.alone !== true || this.inbox.hasInput) this.inbox.drain(notices);
      const end = last === null ? {} : { last };
      this.spec = { ...spec, turns: [...this.turns], heard: [...this.inbox.inFlight], ...end };
    }
    if (!first) this.spec = { ...this.spec, attempt: this.spec.attempt + 1 };
    return this.spec;
  }

  #nothingDone({ turn }: Reply): OpenTurn {
    return { turn, results: [], cwd: this.cwd, reads: [], commands: [] };
  }

  toBackground(): void {
    this.runFor = { ...this.runFor, background: true };
    this.moved.resolve("moved");
  }

  /** Becomes what the journal says it was, before it continues or after it has ended. */
  restore({ spec, turns, reply, run, owner, call, background, unheard, earlier }: ActorAtRest): void {
    const heard = [...turns, ...(reply === null ? [] : [reply])].flatMap((one) => one.heard);
    this.spec = { ...spec, tools: [...toolsWith(spec.tools, heard)], turns: [] };
    this.#turns = [...turns];
    this.place = lastLocation(turns);
    this.turnsTaken = turns.at(-1)?.turn ?? 0;
    this.todo = todoOf(turns);
    this.usage = addUsage(usageOf(turns), spec.compacted?.usage ?? noUsage);
    this.run = run;
    this.restored = true;
    this.runFor = { owner, call, background };
    this.earlier = earlier;
    for (const { text, from = null, of: [id] = [], notice, system } of unheard) {
      if (notice && id !== undefined) this.inbox.pushNotice(skillNotice({ title: "", id, text, system }));
      else this.inbox.pushMessage(text, id === undefined ? undefined : { id, from, text });
    }
    // The loops of the process before had the attempts up to this one.
    this.#hasStarted = true;
  }

  /** The turn that it was in when the program died, with the results that are known. */
  restoreTurn(reply: Reply, results: OpenTurn["results"]): void {
    this.reply = reply;
    const moved = results.findLast(({ result }) => result.moved)?.result.moved;
    if (moved) this.move(moved);
    this.open = { ...this.#nothingDone(reply), results };
  }

  restoreAnswer(summary: Summary): void {
    this.recoveredAnswer = summary;
  }

  takeRecoveredAnswer(): Summary | null {
    const answer = this.recoveredAnswer;
    this.recoveredAnswer = null;
    return answer;
  }

  /** The conversation it had, from the journal: it will continue. */
  remember({ spec: { messages, inherited }, turns }: ActorAtRest): void {
    this.spec = { ...this.spec, messages, ...(inherited ? { inherited } : {}) };
    this.#turns = [...turns];
    this.todo = todoOf(turns);
  }

  /** Its conversation is no longer needed here: the journal has it. */
  forget(): void {
    const { inherited: _, pending: __, ...spec } = this.spec;
    this.spec = { ...spec, messages: [], turns: [], heard: [] };
    this.#turns = [];
  }
}

/** An actor as all other modules see it. */
export type Actor = Readonly<ActorRecord>;

export function createActor(
  spec: ActorSpec,
  now: number,
  runFor: RunFor = FOR_THE_USER,
  deadlineMs: number | null = null,
): Actor {
  return new ActorRecord(spec, now, runFor, deadlineMs);
}

/** The request as data, for its loop. */
export function compactRequest({ instructions, alone }: CompactRequest): CompactRequest {
  return { instructions, ...(alone ? { alone } : {}) };
}
