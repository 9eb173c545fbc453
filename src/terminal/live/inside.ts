import type { SupervisorEvent } from "../../events/event.ts";
import { type ContentBlockParam, textOf } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Paint } from "../colour.ts";
import { safeText } from "../safe-text.ts";
import { type CallLines, createCallLines } from "../transcript/call-lines.ts";
import { wrapText } from "../wrap.ts";

/** What each agent has done last, for a user who looks inside one. */
export interface Inside {
  onEvent(event: SupervisorEvent): void;
  /** Returns its last rows: what it said and did, and what it does and writes now. */
  rows(
    agent: ActorId,
    room: { readonly columns: number; readonly rows: number; readonly now: number },
  ): string[];
}

interface Entry {
  readonly calls: CallLines;
  lines: string[];
  /** The reply that it writes now, as far as it was watched. */
  writing: string;
  turn: number;
}

const KEPT_LINES = 80;
const KEPT_CHARACTERS = 8_000;
/** Agents that have ended and can still be looked into. */
const KEPT_ENDED = 32;

export function createInside(paint: Paint, now: () => number, columns: () => number): Inside {
  const entries = new Map<ActorId, Entry>();
  const ended = new Set<ActorId>();
  const entryOf = (id: ActorId): Entry => {
    const known = entries.get(id) ?? { calls: createCallLines(paint, now), lines: [], writing: "", turn: 0 };
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
    onEvent(event) {
      switch (event.type) {
        case "call-begin":
        case "call-progress":
        case "call-end":
          if (event.actor !== MAIN) put(event.actor, entryOf(event.actor).calls.onEvent(event, columns()));
          return;
        case "text": {
          if (event.actor === MAIN) return;
          const entry = entryOf(event.actor);
          const before = entry.turn === event.turn ? entry.writing : "";
          entry.turn = event.turn;
          entry.writing = (before + event.text).slice(-KEPT_CHARACTERS);
          return;
        }
        case "message": {
          if (event.actor === MAIN || event.role !== "assistant") return;
          entryOf(event.actor).writing = "";
          const said = textIn(event.content);
          if (said !== "") put(event.actor, ["", ...wrapText(said, columns()), ""]);
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
    rows(agent, { columns: width, rows, now: at }) {
      const entry = entries.get(agent);
      if (entry === undefined) return [];
      const writing = safeText(entry.writing).trim();
      return [
        ...entry.lines,
        ...(writing === "" ? [] : wrapText(writing, width)),
        ...entry.calls.running({ columns: width, rows, now: at }),
      ].slice(-rows);
    },
  };
}

function textIn(content: string | readonly ContentBlockParam[]): string {
  return safeText(typeof content === "string" ? content : textOf(content)).trim();
}
