import { readFileSync } from "node:fs";
import { journalFile } from "../../src/journal/paths.ts";
import { conversationNow, type SessionState, sessionStateOf } from "../../src/journal/session-state.ts";
import { type AnyMessage, conversationFaults, requestFaults } from "./checks/conversation.ts";
import { effectFaults } from "./checks/effects.ts";
import { lookAtJournal } from "./checks/journal.ts";
import { leftovers, marked } from "./checks/remains.ts";
import { resultFaults } from "./checks/results.ts";

/** All that a run of a session has left. */
export interface Evidence {
  readonly home: string;
  /** The session's. */
  readonly folder: string;
  /** Its journal as each death left it, in order. */
  readonly before: readonly Buffer[];
  /** The bodies that the server saw, as they came. */
  readonly requests: readonly string[];
  /** What side effects have happened, by their tokens. */
  readonly effects: readonly string[];
  /** In the environment of all its processes. */
  readonly mark: string;
  /** Most megabytes that any process of it had. */
  readonly peakMb: number;
  readonly maxMb: number;
  /** False where the session was cut off and not taken up again: then something may be missing, but nothing doubled. */
  readonly ended: boolean;
}

/**
 * What must hold after any fault, checked from outside: what is wrong, one sentence each. Empty is what is promised.
 */
export function faultsIn(evidence: Evidence): string[] {
  const { records, faults } = lookAtJournal(readFileSync(journalFile(evidence.folder)), evidence.before);
  const conversations = conversationsOf(sessionStateOf(records));
  const { ended, effects } = evidence;
  return [
    ...faults,
    ...evidence.requests.flatMap((raw, n) => requestFaults(raw).map((fault) => `request ${n}: ${fault}`)),
    ...[...conversations].flatMap(([actor, messages]) =>
      // One that was cut off may be in the middle of a turn.
      ended ? conversationFaults(messages).map((fault) => `conversation of ${actor}: ${fault}`) : [],
    ),
    ...resultFaults(records, ended),
    ...effectFaults(effects, records, [...conversations.values()]),
    ...marked(evidence.mark).map((pid) => `process ${pid} is left`),
    ...(ended ? leftovers(evidence.home, evidence.folder) : []),
    ...(evidence.peakMb > evidence.maxMb
      ? [`a process had ${Math.round(evidence.peakMb)} MB, more than ${evidence.maxMb}`]
      : []),
  ];
}

/** What each actor's conversation is: whoever goes on with one that has ended begins after its last whole turn. */
export function conversationsOf(state: SessionState): Map<string, readonly AnyMessage[]> {
  const all = new Map<string, readonly AnyMessage[]>();
  for (const [id, actor] of state.actors) {
    const reply = actor.summary === null ? actor.reply : null;
    const messages = conversationNow({ ...actor, reply }).map(({ role, content }) => ({
      role,
      content: typeof content === "string" ? content : content.map((block) => ({ ...block })),
    }));
    all.set(id, messages);
  }
  return all;
}
