import type { ActorHandle } from "../actors/hosts.ts";
import { addUsage, noUsage, totalTokens, type Usage } from "../mailbox/conversation.ts";
import type { ActorId, CallId } from "../mailbox/ids.ts";
import type { ActorSpec, Status, Steer, Summary, Todo, Turn } from "../mailbox/messages.ts";
import { receiptsOf, todoOf, usageOf } from "../mailbox/turns.ts";
import type { HookedCall } from "../policy/hooks/results.ts";
import { type Child, queued } from "./children.ts";
import type { JudgedCall } from "./judged-runs.ts";
import { type Notice, noticeText, withNotice } from "./notices.ts";
import type { Activity, AgentState, AgentView } from "./view.ts";

/** A call that was let go and has not ended. */
export interface RunningCall extends JudgedCall {
  readonly tool: string;
  readonly title: string;
  /** A command that runs outside of the sandbox. */
  readonly outside: boolean;
  /** As hooks know it. */
  readonly hooked: HookedCall;
  /** What a hook said to the model before it ran; told with the result. */
  readonly context?: string;
}

/** What the supervisor keeps of one actor; its conversation lives in its own thread and in the journal. */
export class ActorRecord {
  spec: ActorSpec;
  child: Child = queued;
  handle: ActorHandle | null = null;
  /** The calls that run for it now, in the order they began. */
  readonly calls = new Map<CallId, RunningCall>();
  /** The model cannot be had at the moment. */
  wait: Extract<Activity, { type: "retrying" }> | null = null;
  /** Of every request answered for it, told by the gateway: true also when its thread is gone. */
  usage: Usage = noUsage;
  /** Turns taken, as recorded; dropped when a sub-agent has ended. */
  turns: Turn[];
  /** The number of the last turn that was taken. */
  turnsTaken: number;
  /** The last text it said, salvaged when it can say no more. */
  said = "";
  /** Its own list of steps. */
  todo: readonly Todo[];
  /** What it does of the session's tasks, in words; null: it has taken none up. */
  task: string | null = null;
  /** Said to it and not yet handed to its thread. */
  readonly steering: Steer[] = [];
  /** What it is to be told of what runs in the background. */
  #notices: Notice[] = [];
  /** What it had answered when such news made it go on: part of its last answer. */
  #answers: string[] = [];
  /** What keeps it from ending, in words; null: nothing. */
  keptBy: string | null = null;
  /** Called when it is said or told something. */
  #onNews: Array<() => void> = [];
  /** Handed to its thread, and in no turn yet: an end before the next turn must not lose it. */
  #handed: readonly Steer[];
  /** Calls of it that wait to go on. */
  readonly goOn: Array<() => void> = [];
  readonly children: ActorId[] = [];
  readonly createdAt: number;
  startedAt: number | null = null;
  endedAt: number | null = null;
  summary: Summary | null = null;
  /** Milliseconds from its start until it is stopped; null: none. */
  deadlineMs: number | null = null;
  /** Aborted when it is told to stop, and when it has ended: ends what runs for it outside its thread. */
  stopping = new AbortController();
  /** Agent calls the model has begun to write in this turn: threads to warm up. */
  begun = 0;
  /** How often in a row hooks have made it go on. */
  goneOn = 0;
  #ended = Promise.withResolvers<Summary>();

  constructor(spec: ActorSpec, now: number) {
    this.spec = spec;
    this.turns = [...spec.turns];
    this.turnsTaken = spec.turns.at(-1)?.turn ?? 0;
    this.todo = todoOf(spec.turns);
    this.#handed = spec.heard;
    this.createdAt = now;
  }

  get id(): ActorId {
    return this.spec.id;
  }

  /** The one summary; never rejects. */
  get ended(): Promise<Summary> {
    return this.#ended.promise;
  }

  /** Delivers the summary of this run, also when the next one has begun meanwhile. */
  get deliver(): (summary: Summary) => void {
    return this.#ended.resolve;
  }

  say(steer: Steer): void {
    this.steering.push(steer);
    this.#wake();
  }

  tell(notice: Notice): void {
    this.#notices = withNotice(this.#notices, notice);
    this.#wake();
  }

  /** It knows of the end of this task already. */
  forget(task: string): void {
    this.#notices = this.#notices.filter((notice) => notice.type !== "ended" || notice.task !== task);
  }

  /** Resolves when there is something that it has not heard. */
  news(): Promise<void> {
    if (this.hasNews) return Promise.resolve();
    return new Promise((resolve) => this.#onNews.push(resolve));
  }

  /** Whether another turn of it would be like any other, not its last. */
  get mayTakeTurns(): boolean {
    const { maxTurns, tokenBudget = Number.POSITIVE_INFINITY } = this.spec;
    return this.turnsTaken < maxTurns && totalTokens(usageOf(this.turns)) < tokenBudget;
  }

  get hasNews(): boolean {
    return this.steering.length > 0 || this.#notices.length > 0;
  }

  #wake(): void {
    for (const call of this.#onNews.splice(0)) call();
  }

  /**
   * It goes on after its answer. News are no new question, so what it had answered stays; a person's words are,
   * and then it answers anew.
   */
  goesOnAfter(answer: string): void {
    if (this.steering.length > 0) this.#answers = [];
    else if (answer !== "" && answer !== this.#answers.at(-1)) this.#answers.push(answer);
  }

  /** The summary with what it had answered before. Silence about news takes nothing back. */
  whole(summary: Summary): Summary {
    const before = this.#answers;
    if (before.length === 0) return summary;
    if (summary.text !== "" && summary.text !== before.at(-1))
      return { ...summary, text: [...before, summary.text].join("\n\n") };
    const { reason: _, ...silent } = summary;
    const text = before.join("\n\n");
    return summary.status === "partial" ? { ...silent, status: "done", text } : { ...summary, text };
  }

  /** What was said to it since, for its thread. */
  hear(): Steer[] {
    const told = this.#notices.splice(0);
    const steer = [...this.steering.splice(0), ...(told.length === 0 ? [] : [{ text: noticeText(told) }])];
    this.#handed = [...this.#handed, ...steer];
    return steer;
  }

  /** The main conversation is asked again: a new run of the same actor, with all it said before. */
  reopen(text: string, moreTurns: number): void {
    this.steering.push({ text });
    this.hear();
    this.spec = {
      ...this.spec,
      attempt: this.spec.attempt + 1,
      turns: [...this.turns],
      heard: [...this.#handed],
      maxTurns: this.turnsTaken + moreTurns,
    };
    this.child = queued;
    this.stopping = new AbortController();
    this.handle = null;
    this.said = "";
    this.#answers = [];
    this.startedAt = null;
    this.endedAt = null;
    this.summary = null;
    this.goneOn = 0;
    this.#ended = Promise.withResolvers();
  }

  /** The model answered it. */
  answered(usage: Usage): void {
    this.usage = addUsage(this.usage, usage);
    this.wait = null;
  }

  take(turn: Turn): void {
    this.turns.push(turn);
    this.turnsTaken = turn.turn;
    this.todo = turn.todo ?? this.todo;
    this.#handed = [];
    this.begun = 0;
  }

  /** A summary in place of the one that the agent can no longer write. */
  salvaged(status: Status, reason: string): Summary {
    return this.whole({
      status,
      text: this.said,
      reason,
      turns: this.turnsTaken,
      usage: this.usage,
      receipts: receiptsOf(this.turns),
    });
  }

  /** What it does right now: its newest call, else it is the model's turn. */
  get activity(): Activity {
    if (this.child.state === "ended" || this.child.state === "queued") return { type: "idle" };
    const calls = [...this.calls.values()];
    const newest = calls.at(-1);
    if (newest === undefined && this.keptBy !== null)
      return { type: "tool", tool: "Bash", title: this.keptBy };
    if (newest === undefined) return this.wait ?? { type: "model" };
    if (calls.length === 1) return { type: "tool", tool: newest.tool, title: newest.title };
    const same = calls.every(({ tool }) => tool === newest.tool);
    const title = same ? `${calls.length} at once` : `${newest.title} (and ${calls.length - 1} more)`;
    return { type: "tool", tool: newest.tool, title };
  }

  /** The step it works on, by its own list, else by the session's (A14.5). */
  get doing(): string | null {
    if (this.child.state === "ended") return null;
    return this.todo.find(({ status }) => status === "in_progress")?.activeForm ?? this.task;
  }

  view(): AgentView {
    const { spec } = this;
    return {
      id: spec.id,
      parent: spec.parent,
      depth: spec.depth,
      type: spec.type,
      description: spec.description,
      state: stateOf(this.child),
      activity: this.activity,
      doing: this.doing,
      model: spec.model,
      turns: this.summary?.turns ?? this.turnsTaken,
      usage: this.usage,
      createdAt: this.createdAt,
      startedAt: this.startedAt,
      endedAt: this.endedAt,
      summary: this.summary,
    };
  }
}

/** For people an agent that stands in line again is still waiting. */
function stateOf({ state }: Child): AgentState {
  return state === "returning" ? "waiting" : state;
}
