import type { SupervisorEvent } from "../../events/event.ts";
import type { JournalRecord, SessionEvent } from "../../journal/session-events.ts";
import type { ActorAtRest } from "../../journal/session-state.ts";
import { textOf } from "../../mailbox/conversation.ts";
import { type ActorId, callId } from "../../mailbox/ids.ts";
import type { Reply, Turn } from "../../mailbox/messages.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { OwnPrices } from "../../model/known-models.ts";
import { CallReports, shownTitle } from "./call-reports.ts";
import { RecordEvents } from "./record-events.ts";
import { callTitle, RecordedAgents } from "./recorded-agents.ts";

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/**
 * The events of a session from its journal: those that the session has reported, without what is not recorded (pieces of
 * text and output, waits, requests to the user, changes of files). Times are wall time, in milliseconds.
 */
export class JournalEvents {
  readonly #out: SupervisorEvent[] = [];
  readonly #agents: RecordedAgents;
  readonly #calls: CallReports;
  readonly #said = new RecordEvents();
  /** Those whose turns are not over. */
  readonly #replies = new Map<ActorId, Reply>();
  #now = 0;

  constructor(prices: OwnPrices = {}) {
    this.#agents = new RecordedAgents(prices);
    const clock = { now: () => this.#now, after: () => () => {} };
    this.#calls = new CallReports(clock, (event) => void this.#out.push(event), callTitle);
  }

  /** Returns the events of the next record. */
  of({ at, event }: JournalRecord): readonly SupervisorEvent[] {
    this.#now = Date.parse(at);
    const views = this.#agents.apply(event, this.#now).map((view) => ({ type: "agent" as const, view }));
    const [first, last] = event.type === "spawn" ? [views, []] : [[], views];
    this.#out.push(...first, ...this.#said.of(event));
    this.#follow(event);
    return this.#out.splice(0).concat(last);
  }

  #follow(event: SessionEvent): void {
    switch (event.type) {
      case "before":
        this.#begin(event);
        return;
      case "after": {
        const { call, result, isError } = event;
        this.#calls.returned(call, isError, result);
        return;
      }
      case "reply": {
        const { actor, reply } = event;
        this.#replies.set(actor, reply);
        this.#calls.reply(this.#callerOf(actor), reply);
        this.#calls.heard(reply.heard);
        return;
      }
      case "turn":
        this.#calls.heard(event.turn.heard);
        this.#replies.delete(event.actor);
        this.#calls.turn(this.#callerOf(event.actor), event.turn);
        return;
      case "summary":
        this.#calls.release(event.actor);
        return;
      case "prompt":
        this.#queue(event);
        return;
      case "withdrawn":
        this.#calls.dequeue(event.id, "withdrawn");
        return;
      default:
        return;
    }
  }

  #begin({ actor, call, tool, input, decision, reason = "" }: Of<"before">): void {
    const { root } = this.#callerOf(actor);
    const { turn = 0, content = [] } = this.#replies.get(actor) ?? {};
    const uses = content.filter((block) => block.type === "tool_use");
    const use = uses.find((_, index) => callId(actor, turn, index) === call);
    const of = { actor, call, toolUse: use?.id ?? call, tool, turn, input };
    this.#calls.begin({ ...of, ...shownTitle(callTitle(tool, input), root) });
    if (decision === "refuse") this.#calls.deny(call, reason);
  }

  #queue({ actor, id, message, from, notice, system }: Of<"prompt">): void {
    if (from !== undefined || notice || system) return;
    const content = typeof message.content === "string" ? message.content : textOf(message.content);
    this.#calls.queue(actor, id ?? content, content);
  }

  #callerOf(id: ActorId) {
    const view = this.#agents.view(id);
    return { id, model: view?.model ?? "", root: this.#agents.rootOf(id), isStopped: false };
  }
}

/** Returns the events of one actor so far, as it was read from its journal. */
export function eventsOf({ spec, turns, reply, unheard }: PastConversation): SupervisorEvent[] {
  const actor = spec.id;
  const events: SessionEvent[] = [
    { type: "spawn", spec: { ...spec, turns: [] }, call: null },
    ...turns.flatMap((turn) => [...repliesOf(actor, turn), { type: "turn" as const, actor, turn }]),
    ...(reply === null ? [] : [{ type: "reply" as const, actor, reply }]),
    ...unheard.map(({ text, of: [id = text] = [], notice }): SessionEvent => {
      const of = notice === undefined ? {} : { notice };
      return { type: "prompt", actor, id, message: { role: "user", content: text }, ...of };
    }),
  ];
  const journal = new JournalEvents();
  const at = new Date(0).toISOString();
  return events.flatMap((event, seq) => journal.of({ seq, at, event }));
}

/** Returns the reply of a turn as it was recorded before its calls: what it says comes before them. */
function repliesOf(actor: ActorId, { turn, heard, messages, usage }: Turn): SessionEvent[] {
  return messages.flatMap((message): SessionEvent[] => {
    if (message.role !== "assistant") return [];
    const content = blocksOf(message) as Reply["content"];
    return [{ type: "reply", actor, reply: { turn, heard, content, usage } }];
  });
}

export type PastConversation = Pick<ActorAtRest, "spec" | "turns" | "reply" | "unheard">;
