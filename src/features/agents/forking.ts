import { conversationNow } from "../../journal/session-state.ts";
import type { Accept } from "../../mailbox/acceptance.ts";
import { type MessageParam, type ToolUseBlock, totalTokens, type Usage } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { ActorSpec, Inherited, JsonSchema, ReadEntry, Reply } from "../../mailbox/messages.ts";
import { FORK } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { recordAccept } from "../accept/stated.ts";

/** A fork's spec, and the part of its conversation that is its own: everything before is its parent's. */
export interface Forked {
  readonly spec: ActorSpec;
  readonly own: MessageParam[];
}

/** How it differs from its parent. */
interface Orders {
  readonly id: ActorId;
  readonly description: string;
  readonly directive: string;
  readonly outputSchema?: JsonSchema;
  readonly accept?: Accept;
}

/** The conversation up to each reply, built once for all forks of that reply. */
export type SharedHistories = WeakMap<Reply, readonly MessageParam[]>;

/** The result of each call as a fork sees it: the same for all forks of a reply, so that they share the cache. */
const ANSWERED_ELSEWHERE = "(This call is answered in the conversation you were forked from.)";

/**
 * Returns an agent that starts with its parent's conversation, byte for byte as the model got it, with the same
 * system prompt and tools, so that all of it is read from the cache (A11.9). Returns null if the parent is between
 * two replies.
 */
export function forkOf(
  parent: Actor,
  { id, description, directive, outputSchema, accept }: Orders,
  maxTurns: number,
  histories: SharedHistories,
): Forked | null {
  const { reply, spec, turns } = parent;
  if (reply === null) return null;
  const before = histories.get(reply) ?? conversationNow({ spec, turns, reply });
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
  // A fork starts with what its parent sees; it has compacted nothing itself.
  const {
    pending: _,
    tokenBudget: __,
    compacted: ___,
    compact: ____,
    isolation: _____,
    outputSchema: ______,
    accept: _______,
    filesBefore: ________,
    ...same
  } = spec;
  return {
    own,
    spec: {
      ...same,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...recordAccept(accept, { ...same, root: parent.root }, outputSchema),
      ...{ id, parent: parent.id, depth: spec.depth + 1, type: FORK, description, maxTurns },
      attempt: 1,
      messages: [...before, ...own],
      turns: [],
      heard: [],
      // The fork must not merge its parent's worktree.
      inherited: {
        ...{ reads: lastReads(parent), cwd: parent.cwd, root: parent.root },
        ...countedIn(reply.usage, before.length),
      },
    },
  };
}

/** Returns the tokens up to and including the reply; a server that does not count reports zeros. */
function countedIn(usage: Usage, messages: number): Pick<Inherited, "counted"> {
  const tokens = totalTokens(usage);
  return tokens === usage.output_tokens ? {} : { counted: { messages, tokens } };
}

/** Returns the newest read of each file. */
function lastReads({ spec, turns }: Actor): ReadEntry[] {
  const reads = [...(spec.inherited?.reads ?? []), ...turns.flatMap((turn) => turn.reads)];
  return [...new Map(reads.map((entry) => [entry.path, entry])).values()];
}

function orders(directive: string): string {
  return `You are a fork: the conversation above is what you know, but you do not continue it. Do only what follows, yourself, and end with a report of what you found or did, complete in itself: the conversation you were forked from sees nothing else of you. Ask no questions, start no fork of your own, and do not continue other work that was being discussed.

${directive}`;
}
