import type { SupervisorEvent } from "../../events/event.ts";
import { type ContentBlockParam, textOf } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Paint } from "../colour.ts";
import { safeText } from "../safe-text.ts";
import { type CallLines, type CallsRoom, createCallLines } from "../transcript/call-lines.ts";
import { wrapText } from "../wrap.ts";

interface Entry {
  readonly calls: CallLines;
  lines: string[];
  /** The reply that it writes now, as far as it was watched, and its last thoughts before that. */
  writing: string;
  thoughts: string;
  /** The thoughts of it that are for the user. */
  told: string;
  turn: number;
}

const NOTHING = { writing: "", thoughts: "", told: "" };
const KEPT_LINES = 400;
const KEPT_CHARACTERS = 8_000;
/** Agents that have ended and can still be looked into. */
const KEPT_ENDED = 32;

export type Inside = ReturnType<typeof createInside>;

/** What each agent has done last, for a user who looks inside one. `replyRows`: a reply as rows that fit. */
export function createInside(
  paint: Paint,
  now: () => number,
  columns: () => number,
  replyRows: (text: string) => readonly string[],
) {
  const entries = new Map<ActorId, Entry>();
  const ended = new Set<ActorId>();
  const entryOf = (id: ActorId): Entry => {
    const known = entries.get(id) ?? { calls: createCallLines(paint, now), lines: [], ...NOTHING, turn: 0 };
    entries.set(id, known);
    return known;
  };
  const put = (id: ActorId, lines: readonly string[]): void => {
    const entry = entryOf(id);
    entry.lines = [...entry.lines, ...lines].slice(-KEPT_LINES);
  };
  const forgetOldest = (): void => {
    const [oldest] = ended;
    if (ended.size <= KEPT_ENDED || oldest === undefined) return;
    ended.delete(oldest);
    entries.delete(oldest);
  };
  return {
    onEvent(event: SupervisorEvent) {
      switch (event.type) {
        case "call-begin":
        case "call-progress":
        case "call-end":
          if (event.actor !== MAIN) put(event.actor, entryOf(event.actor).calls.onEvent(event, columns()));
          return;
        case "text":
        case "thinking": {
          if (event.actor === MAIN) return;
          const entry = entryOf(event.actor);
          if (entry.turn !== event.turn) Object.assign(entry, { ...NOTHING, turn: event.turn });
          const isTold = event.type === "thinking" && event.forUser === true;
          const of = event.type === "text" || isTold ? "writing" : "thoughts";
          entry[of] = (entry[of] + event.text).slice(-KEPT_CHARACTERS);
          if (isTold) entry.told += event.text;
          return;
        }
        case "message": {
          if (event.actor === MAIN || event.role !== "assistant") return;
          const { told } = entryOf(event.actor);
          Object.assign(entryOf(event.actor), NOTHING);
          const said = safeText(`${told.trim()}\n\n${textIn(event.content)}`).trim();
          if (said !== "") put(event.actor, ["", ...replyRows(said), ""]);
          return;
        }
        case "waiting": {
          // A reply that was cut off is written again from its start.
          const entry = event.attempt === null ? undefined : entries.get(event.actor);
          if (entry !== undefined) Object.assign(entry, NOTHING);
          return;
        }
        case "agent": {
          const { id, state } = event.view;
          ended.delete(id);
          if (state === "ended" && entries.has(id)) ended.add(id);
          return forgetOldest();
        }
        default:
          return;
      }
    },
    /** Returns its rows: what it said and did last, and what it does and writes now; `rows` is room for its calls. */
    rows(agent: ActorId, { columns: width, rows, now: at }: CallsRoom): string[] {
      const entry = entries.get(agent);
      if (entry === undefined) return [];
      const wrapped = (text: string) => (text.trim() === "" ? [] : wrapText(safeText(text).trim(), width));
      return [
        ...entry.lines,
        ...(entry.writing === "" ? wrapped(entry.thoughts).map((row) => paint("dim", row)) : []),
        ...(entry.writing.trim() === "" ? [] : replyRows(entry.writing.trim())),
        ...entry.calls.running({ columns: width, rows, now: at }),
      ];
    },
  };
}

function textIn(content: string | readonly ContentBlockParam[]): string {
  return safeText(typeof content === "string" ? content : textOf(content)).trim();
}
