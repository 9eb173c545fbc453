import { type MessageParam, noUsage, totalTokens, type Usage, usageSince } from "../mailbox/conversation.ts";
import { type ActorId, type CallId, MAIN } from "../mailbox/ids.ts";
import type { ActorSpec, AgentTool, CallResult, Reply, Steer, Summary, Turn } from "../mailbox/messages.ts";
import type { ModelPause } from "../mailbox/model.ts";
import { appendSteering, blocksOf, shownConversation } from "../mailbox/turns.ts";
import type { JournalRecord } from "./session-events.ts";
import type { TaskGraph } from "./task-graph.ts";
import { afterChange, noTasks } from "./task-graph.ts";
import { afterActorChange, type UserActorStates } from "./user-actors.ts";

/** A call that was allowed to run, as far as the journal knows. */
export interface BegunCall {
  readonly call: CallId;
  readonly tool: string;
  readonly input: unknown;
  /** Null if it was running when the record ends, or its result was not kept. */
  readonly result: CallResult | null;
  readonly ended: boolean;
}

/** A message to an actor; `from`: the actor that sent it. */
export interface Said extends Steer {
  readonly from?: ActorId;
}

/** An ended run with its one result. */
export interface EndedRun {
  readonly run: number;
  readonly owner: ActorId | null;
  readonly call: CallId | null;
  readonly background: boolean;
  readonly summary: Summary;
}

export interface PastModel {
  readonly model: string;
  readonly turns: number;
  readonly summaries: number;
}

/** One actor as its records leave it: everything needed to resume it. */
export interface ActorAtRest {
  /** With the whole conversation before the first of `turns`. */
  readonly spec: ActorSpec;
  readonly turns: readonly Turn[];
  /** What its requests for summaries used, as each record of a compaction adds to it. */
  readonly summaries: readonly Usage[];
  /** What replies used that are in no turn, each with its model. */
  readonly lostReplies: readonly { readonly model: string; readonly usage: Usage }[];
  /** Models that it had before its present one, each with the number of turns and of summaries up to its end. */
  readonly models: readonly PastModel[];
  /** Its present model if that is not its spec's: it was lent for the rest of a run. */
  readonly lentModel: string | null;
  /** The model that the user has chosen, if no request has asked it yet. */
  readonly askedModel: string | null;
  /** The reply of an unrecorded turn, with those of its calls that were allowed to run. */
  readonly reply: Reply | null;
  readonly begun: readonly BegunCall[];
  /** Messages to it that are in no turn yet. */
  readonly unheard: readonly Said[];
  /** Messages to it that none of its ended runs received: their senders are notified. */
  readonly missed: readonly Said[];
  /** IDs of the durable messages and results in its turns. */
  readonly heard: ReadonlySet<string>;
  /** The number of its runs so far. */
  readonly run: number;
  /** The actor that gets the result of this run; null for the user. */
  readonly owner: ActorId | null;
  /** The call that waits for this run, or started it. */
  readonly call: CallId | null;
  readonly background: boolean;
  /** Of this run; null while it is unfinished. */
  readonly summary: Summary | null;
  readonly durationMs: number | null;
  /** Its runs before this one. */
  readonly earlier: readonly EndedRun[];
}

/** A background command whose end may not have been reported. */
export interface OwedCommand {
  readonly actor: ActorId;
  readonly task: string;
  readonly title: string;
  readonly path: string;
  /** The run that can be resumed, of a script. */
  readonly script?: string | undefined;
  /** Null if it was running when the record ends. */
  readonly end: { readonly status: "completed" | "failed" | "killed"; readonly ending: string } | null;
}

/** Returns the durable ID of the end of a command. */
export function commandId(task: string): string {
  return `command:${task}`;
}

/** The whole state of a session, as a fold of its records (promise 4). */
export interface SessionState {
  /** In the order of the spawns. */
  readonly actors: ReadonlyMap<ActorId, ActorAtRest>;
  readonly tasks: TaskGraph;
  readonly owedCommands: readonly OwedCommand[];
  readonly userActors: UserActorStates;
  /** The last pause of each model. */
  readonly pauses: readonly ModelPause[];
}

/** Returns the durable ID of the message that a call sends. */
export function messageId(call: CallId): string {
  return `words:${call}`;
}

export function isOfCall(words: string): boolean {
  return /^words:\w+\.\d+\.\d+$/.test(words);
}

/** Returns the durable ID of the notice that a message was not received. */
export function missedId(words: string): string {
  return `unheard:${words}`;
}

/** Returns the durable ID of the result of one run. */
export function resultId(actor: ActorId, run: number): string {
  return `result:${actor}.${run}`;
}

export function sessionStateOf(records: Iterable<JournalRecord>): SessionState {
  const folding = new Folding();
  for (const record of records) folding.take(record);
  return folding.state;
}

type CommandEnd = Extract<JournalRecord["event"], { type: "command-end" }>;

class Folding {
  readonly #actors = new Map<ActorId, ActorAtRest>();
  #tasks = noTasks;
  #userActors: UserActorStates = new Map();
  readonly #pauses = new Map<string, ModelPause>();
  readonly #commands = new Map<string, OwedCommand>();
  /** That agents share, by the IDs of their records. */
  readonly #tools = new Map<string, AgentTool[]>();

  get state(): SessionState {
    return {
      actors: this.#actors,
      tasks: this.#tasks,
      owedCommands: this.#owedCommands(),
      userActors: this.#userActors,
      pauses: [...this.#pauses.values()],
    };
  }

  take({ seq, event }: JournalRecord): void {
    switch (event.type) {
      case "tools":
        this.#tools.set(event.id, event.tools);
        break;
      case "spawn": {
        const actor = this.#spawned(event);
        if (actor !== null) this.#actors.set(actor.spec.id, actor);
        break;
      }
      case "reopen": {
        const { run, owner, call, background = false, maxTurns } = event;
        this.#change(event.actor, (before) => ({
          ...reopened,
          ...saidBeforeReopening(before),
          earlier: earlierWith(before),
          spec: { ...before.spec, maxTurns },
          ...{ run, owner, call, background },
        }));
        break;
      }
      case "start":
        // The record that resumed it may be damaged.
        this.#change(event.actor, ({ summary, run, spec }) => ({
          // Attempts are numbered once: what an older one still sends is refused, whatever has died.
          spec: { ...spec, attempt: Math.max(spec.attempt, event.attempt) },
          ...(summary === null ? {} : { ...reopened, run: run + 1 }),
        }));
        break;
      case "model":
        if (event.asked) {
          this.#change(event.actor, () => ({ askedModel: event.model }));
          break;
        }
        this.#change(event.actor, ({ spec, models, lentModel, turns, reply, summary, summaries }) => ({
          askedModel: null,
          ...(event.lent
            ? { lentModel: event.model }
            : { lentModel: null, spec: { ...spec, model: event.model } }),
          models: [
            ...models,
            {
              model: lentModel ?? spec.model,
              // The reply of a turn that is not over is the old model's.
              turns: turns.length + (reply === null || summary !== null ? 0 : 1),
              summaries: summaries.length,
            },
          ],
        }));
        break;
      case "prompt": {
        const id = event.id ?? `p${seq}`;
        const said: Said = {
          text: textOf(event.message),
          of: [id],
          ...(event.from === undefined ? {} : { from: event.from }),
          ...(event.notice ? { notice: event.notice } : {}),
          ...(event.system ? { system: event.system } : {}),
        };
        // A call repeated after a crash sends the same message again.
        this.#change(event.actor, ({ unheard }) => ({
          unheard: [...unheard.filter(({ of = [] }) => !of.includes(id)), said],
        }));
        break;
      }
      case "withdrawn":
        this.#change(event.actor, ({ unheard }) => ({
          unheard: unheard.filter(({ of = [] }) => !of.includes(event.id)),
        }));
        break;
      case "to-background":
        this.#change(event.actor, () => ({ background: true }));
        break;
      case "reply":
        this.#change(event.actor, ({ turns }) =>
          event.reply.turn === (turns.at(-1)?.turn ?? 0) + 1 ? { reply: event.reply, begun: [] } : {},
        );
        break;
      case "before":
        if (event.decision !== "go") break;
        this.#change(event.actor, ({ begun }) => ({
          begun: [
            ...begun.filter(({ call }) => call !== event.call),
            { call: event.call, tool: event.tool, input: event.input, result: null, ended: false },
          ],
        }));
        break;
      case "after":
        this.#change(event.actor, ({ begun }) => ({
          begun: begun.map((one) =>
            one.call === event.call ? { ...one, ended: true, result: event.result ?? null } : one,
          ),
        }));
        break;
      case "turn":
        this.#change(event.actor, (actor) => afterTurn(actor, event.turn));
        break;
      case "compacted":
        this.#change(event.actor, ({ spec, summaries }) => {
          const used = usageSince(event.compacted.usage, spec.compacted?.usage ?? noUsage);
          return {
            spec: { ...spec, compacted: event.compacted },
            summaries: totalTokens(used) > 0 ? [...summaries, used] : summaries,
          };
        });
        break;
      case "summary":
        this.#change(event.actor, (actor) =>
          (event.run ?? actor.run) === actor.run
            ? { summary: event.summary, durationMs: event.durationMs, ...saidBeforeTheEnd(actor) }
            : {},
        );
        break;
      case "lost-reply":
        this.#change(event.actor, ({ lostReplies }) => ({ lostReplies: [...lostReplies, event] }));
        break;
      case "task":
        this.#tasks = afterChange(this.#tasks, event.change);
        break;
      case "user-actor":
        this.#userActors = afterActorChange(this.#userActors, event.name, event.change);
        break;
      case "paused":
        this.#pauses.set(event.pause.model, event.pause);
        break;
      case "command": {
        const { type: _, ...command } = event;
        this.#commands.set(command.task, { ...command, end: null });
        break;
      }
      case "command-end":
        this.#afterCommand(event);
        break;
      case "session":
      case "boarded":
      case "title":
      case "end":
        break;
      default:
        event satisfies never;
    }
  }

  #afterCommand({ task, ending, status = "killed", told }: CommandEnd): void {
    const command = this.#commands.get(task);
    if (told) this.#commands.delete(task);
    else if (command) this.#commands.set(task, { ...command, end: { status, ending } });
  }

  #owedCommands(): OwedCommand[] {
    return [...this.#commands.values()].filter(
      ({ actor, task }) => !this.#actors.get(actor)?.heard.has(commandId(task)),
    );
  }

  #change(id: ActorId, by: (actor: ActorAtRest) => Partial<ActorAtRest>): void {
    const actor = this.#actors.get(id);
    if (actor) this.#actors.set(id, { ...actor, ...by(actor) });
  }

  /** Null if the record of its tools is damaged: like one whose own record is, it is not known. */
  #spawned({
    spec,
    tools: shared,
    call,
    background,
    fork,
  }: Extract<JournalRecord["event"], { type: "spawn" }>): ActorAtRest | null {
    const tools = shared === undefined ? spec.tools : this.#tools.get(shared);
    if (tools === undefined) return null;
    const parent = fork && spec.parent !== null ? this.#actors.get(spec.parent) : undefined;
    const messages = parent ? [...conversationNow(parent), ...spec.messages] : spec.messages;
    return {
      ...reopened,
      spec: { ...spec, tools, messages },
      turns: [...spec.turns],
      unheard: [...spec.heard],
      ...{ summaries: [], models: [], lentModel: null, askedModel: null, missed: [], earlier: [] },
      heard: new Set(),
      ...{ run: 1, owner: spec.parent, call, background: background ?? false, lostReplies: [] },
    };
  }
}

function afterTurn({ turns, unheard, heard }: ActorAtRest, turn: Turn): Partial<ActorAtRest> {
  if (turn.turn !== (turns.at(-1)?.turn ?? 0) + 1) return {};
  const ids = turn.heard.flatMap(({ of = [] }) => of);
  return {
    turns: [...turns, turn],
    reply: null,
    begun: [],
    heard: ids.length === 0 ? heard : new Set([...heard, ...ids]),
    unheard: unheard.filter(({ of = [] }) => !of.every((id) => ids.includes(id))),
  };
}

/** The main conversation receives later messages in its next run; any other actor's messages end with it. */
function saidBeforeTheEnd({ spec, unheard, missed }: ActorAtRest): Partial<ActorAtRest> {
  return spec.id === MAIN ? {} : { unheard: [], missed: [...missed, ...unheard] };
}

/** The last message resumed it; all earlier ones came too late for the ended run. */
function saidBeforeReopening({ spec, unheard, missed }: ActorAtRest): Partial<ActorAtRest> {
  if (spec.id === MAIN) return {};
  return { unheard: unheard.slice(-1), missed: [...missed, ...unheard.slice(0, -1)] };
}

function earlierWith({ run, owner, call, background, summary, earlier }: ActorAtRest): readonly EndedRun[] {
  return summary === null ? earlier : [...earlier, { run, owner, call, background, summary }];
}

/** The initial state of a run. */
const reopened: Pick<ActorAtRest, "reply" | "begun" | "summary" | "durationMs"> = {
  reply: null,
  begun: [],
  summary: null,
  durationMs: null,
};

/**
 * Returns an actor's conversation up to the reply it works on, byte for byte as the model got it: a fork starts with
 * it.
 */
export function conversationNow({
  spec,
  turns,
  reply,
}: Pick<ActorAtRest, "spec" | "turns" | "reply">): MessageParam[] {
  const messages = shownConversation(spec, turns);
  if (reply === null) return messages;
  appendSteering(messages, reply.heard);
  return [...messages, { role: "assistant", content: reply.content }];
}

function textOf(message: MessageParam): string {
  return blocksOf(message)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}
