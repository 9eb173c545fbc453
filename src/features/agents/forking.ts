import { tokensOfMessage } from "../../context/compaction/tokens.ts";
import { conversationNow } from "../../journal/session-state.ts";
import { type MessageParam, type ToolUseBlock, totalTokens, type Usage } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { ActorSpec, JsonSchema, ReadEntry, Reply } from "../../mailbox/messages.ts";
import { shareHistory } from "../../mailbox/shared-history.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { FORK } from "../../supervisor/run-for.ts";

/** A fork's spec, and the part of its conversation that is its own: what comes before is its parent's. */
export interface Forked {
  readonly spec: ActorSpec;
  readonly own: MessageParam[];
}

/** What sets it apart from its parent. */
interface Orders {
  readonly id: ActorId;
  readonly description: string;
  readonly directive: string;
  readonly outputSchema?: JsonSchema;
}

/** What a conversation was when it gave a reply: made once for all forks of that reply. */
export type Histories = WeakMap<Reply, readonly MessageParam[]>;

/** As each of the calls is answered for the fork: the same for all forks of a reply, so that they share it in the cache. */
const ANSWERED_ELSEWHERE = "(This call is answered in the conversation you were forked from.)";

/**
 * An agent that begins with its parent's conversation, byte for byte as the model was sent it, with the same system
 * prompt and tools: all of that is read from the cache (A11.9). Null where the parent is between two replies.
 */
export function forkOf(
  parent: Actor,
  { id, description, directive, outputSchema }: Orders,
  maxTurns: number,
  histories: Histories,
): Forked | null {
  const { reply, spec, turns } = parent;
  if (reply === null) return null;
  const before =
    histories.get(reply) ??
    shareHistory(conversationNow({ spec, turns, reply }), tokensOfMessage, countedIn(reply.usage));
  histories.set(reply, before);
  const calls = reply.content.filter((block): block is ToolUseBlock => block.type === "tool_use");
  const own: MessageParam[] = [
    {
      role: "user",
      content: [
        ...calls.map(({ id: tool_use_id }) => ({
          type: "tool_result" as const,
          tool_use_id,
          content: ANSWERED_ELSEWHERE,
        })),
        { type: "text", text: orders(directive) },
      ],
    },
  ];
  // What its parent is shown is what it begins with: it has made nothing smaller itself.
  const {
    pending: _,
    tokenBudget: __,
    compacted: ___,
    compact: ____,
    isolation: _____,
    outputSchema: ______,
    ...same
  } = spec;
  return {
    own,
    spec: {
      ...same,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...{ id, parent: parent.id, depth: spec.depth + 1, type: FORK, description, maxTurns },
      attempt: 1,
      messages: [...before, ...own],
      turns: [],
      heard: [],
      // Its parent's tree is not its own to bring back.
      inherited: { reads: lastReads(parent), cwd: parent.cwd, root: parent.root },
    },
  };
}

/** All up to the reply, and the reply. A server that does not count says so with zeros. */
function countedIn(usage: Usage): number | null {
  const tokens = totalTokens(usage);
  return tokens === usage.output_tokens ? null : tokens;
}

/** The newest of each file. */
function lastReads({ spec, turns }: Actor): ReadEntry[] {
  const reads = [...(spec.inherited?.reads ?? []), ...turns.flatMap((turn) => turn.reads)];
  return [...new Map(reads.map((entry) => [entry.path, entry])).values()];
}

function orders(directive: string): string {
  return `You are a fork: the conversation above is what you know, but you are not the one who goes on with it. Do only what follows, yourself, and end with a report of what you found or did, complete in itself: the conversation you were forked from sees nothing else of you. Ask nobody, start no fork of your own, and do not go on with other work that was being discussed.

${directive}`;
}
