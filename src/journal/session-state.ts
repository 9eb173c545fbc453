import type { MessageParam } from "../mailbox/conversation.ts";
import { type ActorId, type CallId, MAIN } from "../mailbox/ids.ts";
import type { ActorSpec, CallResult, Reply, Steer, Summary, Turn } from "../mailbox/messages.ts";
import type { JournalRecord } from "../mailbox/session-events.ts";
import type { TaskGraph } from "../mailbox/task-graph.ts";
import { afterChange, noTasks } from "../mailbox/task-graph.ts";
import { appendSteering, blocksOf, shownConversation } from "../mailbox/turns.ts";

/** A call that was let go, as far as the journal knows. */
export interface BegunCall {
  readonly call: CallId;
  readonly tool: string;
  readonly input: unknown;
  /** Null: it was running when the record ends, or its result was not kept. */
  readonly result: CallResult | null;
  readonly ended: boolean;
}

/** Something said to an actor; `from`: by which other one. */
export interface Said extends Steer {
  readonly from?: ActorId;
}

/** A run that is over, and its one result. */
export interface EndedRun {
  readonly run: number;
  readonly owner: ActorId | null;
  readonly call: CallId | null;
  readonly background: boolean;
  readonly summary: Summary;
}

/** One actor as its records leave it: all that is needed to go on with it. */
export interface ActorAtRest {
  /** With the whole conversation before the first of `turns`. */
  readonly spec: ActorSpec;
  readonly turns: readonly Turn[];
  /** The reply whose turn is not recorded, with the calls of it that were let go. */
  readonly reply: Reply | null;
  readonly begun: readonly BegunCall[];
  /** Said to it, and in no turn yet. */
  readonly unheard: readonly Said[];
  /** Said to it, and heard by none of its runs that have ended: whoever said it is told so. */
  readonly missed: readonly Said[];
  /** The durable things that its turns have heard of. */
  readonly heard: ReadonlySet<string>;
  /** How often it was set going. */
  readonly run: number;
  /** Who gets the result of this run; null: the person. */
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

/** A command beside a conversation whose end nobody may have heard. */
export interface OwedCommand {
  readonly actor: ActorId;
  readonly task: string;
  readonly title: string;
  readonly path: string;
  /** Null: it ran when the record ends. */
  readonly end: { readonly status: "completed" | "failed" | "killed"; readonly ending: string } | null;
}

/** The durable name of the end of a command. */
export function commandId(task: string): string {
  return `command:${task}`;
}

/** All that a session is, as a fold of its records (promise 4). */
export interface SessionState {
  /** In the order of the spawns. */
  readonly actors: ReadonlyMap<ActorId, ActorAtRest>;
  readonly tasks: TaskGraph;
  readonly owedCommands: readonly OwedCommand[];
}

/** The durable name of the words that a call says. */
export function messageId(call: CallId): string {
  return `words:${call}`;
}

export function isOfCall(words: string): boolean {
  return /^words:\w+\.\d+\.\d+$/.test(words);
}

/** The durable name of the news that words were not heard. */
export function missedId(words: string): string {
  return `unheard:${words}`;
}

/** The durable name of the result of one run. */
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
  readonly #commands = new Map<string, OwedCommand>();
  /** The first version named nothing that was heard: a turn then heard all that was said before it. */
  #namesWhatWasHeard = true;

  get state(): SessionState {
    return { actors: this.#actors, tasks: this.#tasks, owedCommands: this.#owedCommands() };
  }

  take({ seq, event }: JournalRecord): void {
    switch (event.type) {
      case "session":
        this.#namesWhatWasHeard = event.version > 1;
        break;
      case "spawn":
        this.#actors.set(event.spec.id, this.#spawned(event));
        break;
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
        // The first version had no other sign that an actor goes on.
        this.#change(event.actor, ({ summary, run }) =>
          summary === null ? {} : { ...reopened, run: run + 1 },
        );
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
        // A call that was asked again after a crash says the same words again.
        this.#change(event.actor, ({ unheard }) => ({
          unheard: [...unheard.filter(({ of = [] }) => !of.includes(id)), said],
        }));
        break;
      }
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
        this.#change(event.actor, (actor) => this.#afterTurn(actor, event.turn));
        break;
      case "compacted":
        this.#change(event.actor, ({ spec }) => ({ spec: { ...spec, compacted: event.compacted } }));
        break;
      case "summary":
        this.#change(event.actor, (actor) =>
          (event.run ?? actor.run) === actor.run
            ? { summary: event.summary, durationMs: event.durationMs, ...saidBeforeTheEnd(actor) }
            : {},
        );
        break;
      case "task":
        this.#tasks = afterChange(this.#tasks, event.change);
        break;
      case "command": {
        const { actor, task, title, path } = event;
        this.#commands.set(task, { actor, task, title, path, end: null });
        break;
      }
      case "command-end":
        this.#afterCommand(event);
        break;
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

  #spawned({
    spec,
    call,
    background,
    fork,
  }: Extract<JournalRecord["event"], { type: "spawn" }>): ActorAtRest {
    const parent = fork && spec.parent !== null ? this.#actors.get(spec.parent) : undefined;
    const messages = parent ? [...conversationNow(parent), ...spec.messages] : spec.messages;
    return {
      ...reopened,
      spec: { ...spec, messages },
      turns: [...spec.turns],
      unheard: [...spec.heard],
      ...{ missed: [], earlier: [] },
      heard: new Set(),
      ...{ run: 1, owner: spec.parent, call, background: background ?? false },
    };
  }

  #afterTurn({ turns, unheard, heard }: ActorAtRest, turn: Turn): Partial<ActorAtRest> {
    if (turn.turn !== (turns.at(-1)?.turn ?? 0) + 1) return {};
    const ids = turn.heard.flatMap(({ of = [] }) => of);
    return {
      turns: [...turns, turn],
      reply: null,
      begun: [],
      heard: ids.length === 0 ? heard : new Set([...heard, ...ids]),
      unheard: this.#namesWhatWasHeard
        ? unheard.filter(({ of = [] }) => !of.every((id) => ids.includes(id)))
        : [],
    };
  }
}

/** The main conversation hears later what it has not heard; any other's end is the end of what was said to it. */
function saidBeforeTheEnd({ spec, unheard, missed }: ActorAtRest): Partial<ActorAtRest> {
  return spec.id === MAIN ? {} : { unheard: [], missed: [...missed, ...unheard] };
}

/** What makes it go on was said last; all before that came too late for the run that had ended. */
function saidBeforeReopening({ spec, unheard, missed }: ActorAtRest): Partial<ActorAtRest> {
  if (spec.id === MAIN) return {};
  return { unheard: unheard.slice(-1), missed: [...missed, ...unheard.slice(0, -1)] };
}

function earlierWith({ run, owner, call, background, summary, earlier }: ActorAtRest): readonly EndedRun[] {
  return summary === null ? earlier : [...earlier, { run, owner, call, background, summary }];
}

/** What a run begins with. */
const reopened: Pick<ActorAtRest, "reply" | "begun" | "summary" | "durationMs"> = {
  reply: null,
  begun: [],
  summary: null,
  durationMs: null,
};

/**
 * An actor's conversation up to the reply it works on, byte for byte as the model was sent it: what a fork begins
 * with.
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
