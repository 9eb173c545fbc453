import { sealLines } from "../../src/journal/lines.ts";
import { JOURNAL_VERSION, type JournalRecord, type SessionEvent } from "../../src/journal/session-events.ts";
import { ActorId, MAIN, SessionId } from "../../src/mailbox/ids.ts";
import type { ActorSpec, Summary, Turn } from "../../src/mailbox/messages.ts";
import { noReceipts } from "../../src/mailbox/turns.ts";

export const SESSION = SessionId.parse("session0000001");
export const ALICE = ActorId.parse("alice");
export const BOB = ActorId.parse("bobby");

export function sessionEvent(over: Partial<Extract<SessionEvent, { type: "session" }>> = {}): SessionEvent {
  return {
    type: "session",
    version: JOURNAL_VERSION,
    id: SESSION,
    cwd: "/w",
    model: "sonnet",
    title: "hi",
    ...over,
  };
}

export function prompt(text: string, actor: ActorId = MAIN): SessionEvent {
  return { type: "prompt", actor, message: { role: "user", content: text } };
}

export const usage = (tokens: number) => ({
  input_tokens: tokens,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
});

export function turn(number: number, text: string, over: Partial<Turn> = {}): Turn {
  return {
    turn: number,
    heard: [],
    messages: [{ role: "assistant", content: text }],
    cwd: "/w",
    reads: [],
    usage: usage(number),
    receipts: noReceipts,
    ...over,
  };
}

export function turnEvent(
  actor: ActorId,
  number: number,
  text: string,
  over: Partial<Turn> = {},
): SessionEvent {
  return { type: "turn", actor, turn: turn(number, text, over) };
}

function spec(id: ActorId, over: Partial<ActorSpec> = {}): ActorSpec {
  return {
    id,
    parent: MAIN,
    depth: 1,
    attempt: 1,
    type: "Explore",
    description: `look at ${id}`,
    system: [],
    tools: [],
    model: "sonnet",
    maxTokens: 16_000,
    maxTurns: 100,
    root: "/w",
    additionalDirs: [],
    messages: [{ role: "user", content: `task of ${id}` }],
    turns: [],
    heard: [],
    ...over,
  };
}

export function spawn(id: ActorId, over: Partial<ActorSpec> = {}): Extract<SessionEvent, { type: "spawn" }> {
  return { type: "spawn", spec: spec(id, over), call: null };
}

export function summary(text: string, over: Partial<Summary> = {}): Summary {
  return { status: "done", text, turns: 2, usage: usage(50), receipts: noReceipts, ...over };
}

/** As the writer would number them. */
export function recordsOf(events: readonly SessionEvent[]): JournalRecord[] {
  return events.map((event, index) => ({
    seq: index + 1,
    at: `2026-01-01T00:00:0${index % 10}.000Z`,
    event,
  }));
}

export function linesOf(events: readonly SessionEvent[]): string {
  return recordsOf(events).map(lineOf).join("");
}

/** A line as this version writes it. */
export function lineOf(record: object): string {
  return `${sealed(JSON.stringify(record))}\n`;
}

/** The JSON of a record with its checksum; one that it has already is replaced. */
export function sealed(json: string): string {
  const open = json.replace(/(?:,"crc":"[0-9a-f]{8}")?\}$/, "");
  return sealLines([open]).toString().trimEnd();
}
