import type { PromptEvent, SupervisorEvent } from "../../events/event.ts";
import type { SessionEvent } from "../../journal/session-events.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Steer } from "../../mailbox/messages.ts";

type Of<Type extends SupervisorEvent["type"]> = Extract<SupervisorEvent, { type: Type }>;

/** What records say by themselves, whether they are just written or read later. */
export class RecordEvents {
  #session: Partial<Of<"session">>;
  /** What is sent and not read yet, by its ID. */
  readonly #sent = new Map<string, PromptEvent>();
  readonly #commands = new Map<string, Of<"command">>();
  /** The last turn of each actor whose input was reported. */
  readonly #heard = new Map<ActorId, number>();

  /** `session`: what is known before its record. */
  constructor(session: Partial<Pick<Of<"session">, "title" | "mode">> = {}) {
    this.#session = session;
  }

  of(event: SessionEvent): SupervisorEvent[] {
    switch (event.type) {
      case "session": {
        const { id, cwd, model, type } = event;
        const title = this.#session.title || event.title;
        return this.#change({ type, id, title, cwd, model, status: null });
      }
      case "title":
        return this.#change({ title: event.title });
      case "model":
        return event.actor === MAIN ? this.#change({ model: event.model }) : [];
      case "end":
        return this.#change({ status: event.status });
      case "spawn": {
        const { id, parent, messages } = event.spec;
        const last = messages.findLast(({ role }) => role === "user");
        if (last === undefined) return [];
        return [{ type: "prompt", actor: id, content: last.content, from: parent }];
      }
      case "prompt": {
        const { actor, message, id, from = null, notice, system } = event;
        const of = notice === undefined ? {} : { notice };
        const prompt: PromptEvent = { type: "prompt", actor, content: message.content, from, ...of };
        if (id !== undefined && !system) this.#sent.set(id, prompt);
        return [];
      }
      case "reply":
        return this.#read(event.actor, event.reply.turn, event.reply.heard);
      case "turn":
        return this.#read(event.actor, event.turn.turn, event.turn.heard);
      case "command": {
        const { actor, task, title, path: outputPath } = event;
        const command: Of<"command"> = { type: "command", actor, task, title, outputPath, state: "running" };
        this.#commands.set(task, command);
        return [command];
      }
      case "command-end": {
        const { task, ending, status: state = "completed" } = event;
        const command = this.#commands.get(task);
        this.#commands.delete(task);
        return command === undefined ? [] : [{ ...command, state, ending }];
      }
      case "compacted": {
        // Older journals do not say them.
        const { type, actor, trigger, before, after } = event;
        const isKnown = trigger !== undefined && before !== undefined && after !== undefined;
        return isKnown ? [{ type, actor, trigger, before, after }] : [];
      }
      case "paused": {
        const { model, reason } = event.pause;
        const until = new Date(event.pause.until).toISOString();
        return [{ type: "paused", model, until, since: new Date(event.pause.since).toISOString(), reason }];
      }
      case "withdrawn":
        this.#sent.delete(event.id);
        return [];
      case "to-background":
      case "reopen":
      case "start":
      case "boarded":
      case "before":
      case "after":
      case "summary":
      case "task":
      case "lost-reply":
      case "user-actor":
      case "tools":
        return [];
      default:
        return event satisfies never;
    }
  }

  setMode(mode: string): SupervisorEvent[] {
    return this.#change({ mode });
  }

  /** A damaged journal may have lost the first record. */
  #change(by: Partial<Of<"session">>): SupervisorEvent[] {
    this.#session = { ...this.#session, ...by };
    return isWhole(this.#session) ? [this.#session] : [];
  }

  /** A reply is recorded before its calls run, and what it has read again with their turn. */
  #read(actor: ActorId, turn: number, heard: readonly Steer[]): PromptEvent[] {
    if (this.#heard.get(actor) === turn) return [];
    this.#heard.set(actor, turn);
    return heard.flatMap(({ text, of = [], notice, system }): PromptEvent[] => {
      if (system) return [];
      const sent = of.flatMap((id) => this.#sent.get(id) ?? []);
      for (const id of of) this.#sent.delete(id);
      if (sent.length > 0) return sent;
      const prompt: PromptEvent = { type: "prompt", actor, content: text, from: null };
      return [notice === undefined ? prompt : { ...prompt, notice }];
    });
  }
}

function isWhole(session: Partial<Of<"session">>): session is Of<"session"> {
  return session.type !== undefined;
}
