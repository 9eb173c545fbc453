import { errorMessage } from "../lib/errors.ts";
import type { ContentBlock, Usage } from "../mailbox/conversation.ts";
import { noUsage } from "../mailbox/conversation.ts";
import type {
  ModelClient,
  ModelFailure,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  OnModelEvent,
} from "./client.ts";
import { cancelled, failedOutcome, untilCancelled } from "./failures.ts";

/** A call of a scripted reply. */
export interface ScriptedCall {
  readonly name: string;
  readonly input: unknown;
  /** Made from the turn and the place of the call where absent. */
  readonly id?: string;
}

/** One reply, or one failure. An empty turn is a reply without any block. */
export interface ScriptedTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** `tool_use` if there are calls, else `end_turn`. */
  readonly stopReason?: string;
  /** Fields that are left out are 0. */
  readonly usage?: Partial<Usage>;
  /** The reply comes when this has settled, or is cancelled before; a rejection is a `server` failure. */
  readonly after?: Promise<unknown> | ((signal: AbortSignal) => Promise<unknown>);
  /** In place of a reply. */
  readonly failure?: ModelFailure;
}

/**
 * A list is played once, in the order in which requests come, from any actor. A function answers each
 * request; `n` counts the requests of the asking actor, from 0.
 */
export type Script =
  | readonly ScriptedTurn[]
  | ((request: ModelRequest, n: number) => ScriptedTurn | Promise<ScriptedTurn>);

/** A model client that plays a script and keeps the requests that it got. */
export interface ScriptedModel extends ModelClient {
  /** Everything it was asked, in order: frozen copies, as the requests were at that moment. */
  readonly requests: readonly ModelRequest[];
}

/** A model that plays given turns and records what it was asked; it counts tokens only by `countTokens`. Never rejects, like any other. */
export function scriptedModel(
  script: Script,
  options: { readonly name?: string; readonly countTokens?: (request: ModelRequest) => number | null } = {},
): ScriptedModel {
  const { countTokens } = options;
  const requests: ModelRequest[] = [];
  const asked = new Map<string, number>();

  const nextTurn = async (request: ModelRequest, place: number): Promise<ScriptedTurn> => {
    const n = asked.get(request.actor) ?? 0;
    asked.set(request.actor, n + 1);
    if (typeof script === "function") return script(request, n);
    return script[place] ?? { failure: usedUp(script.length) };
  };

  return {
    name: options.name ?? "scripted",
    requests,
    ...(countTokens ? { countTokens: async (request) => countTokens(request) } : {}),
    async ask(request, on, signal) {
      const snapshot = deepFrozen(structuredClone(request));
      requests.push(snapshot);
      const place = requests.length - 1;
      if (signal.aborted) return cancelled;
      try {
        // A turn that ignores the signal must not hold up a cancellation.
        return await untilCancelled(play(snapshot, nextTurn(snapshot, place), place, on, signal), signal);
      } catch (error) {
        const message = `The script failed: ${errorMessage(error)}`;
        return failedOutcome({ kind: "server", message });
      }
    },
  };
}

async function play(
  request: ModelRequest,
  asked: Promise<ScriptedTurn>,
  place: number,
  on: OnModelEvent,
  signal: AbortSignal,
): Promise<ModelOutcome> {
  const turn = await asked;
  await (typeof turn.after === "function" ? turn.after(signal) : turn.after);
  if (signal.aborted) return cancelled;
  if (turn.failure) return failedOutcome(turn.failure);
  if (request.streamText && turn.thinking) on({ type: "thinking", text: turn.thinking });
  if (request.streamText && turn.text) on({ type: "text", text: turn.text });
  for (const { name } of turn.calls ?? []) on({ type: "call-begins", tool: name });
  return { type: "reply", reply: replyOf(request, turn, place) };
}

function replyOf(request: ModelRequest, turn: ScriptedTurn, place: number): ModelReply {
  const content: ContentBlock[] = [];
  if (turn.thinking !== undefined)
    content.push({ type: "thinking", thinking: turn.thinking, signature: `scripted-${place}` });
  if (turn.text !== undefined) content.push({ type: "text", text: turn.text, citations: null });
  for (const [index, call] of (turn.calls ?? []).entries())
    content.push({
      type: "tool_use",
      id: call.id ?? `scripted_${place}_${index}`,
      name: call.name,
      input: call.input,
      caller: { type: "direct" },
    });
  return {
    content,
    stopReason: turn.stopReason ?? (turn.calls?.length ? "tool_use" : "end_turn"),
    usage: { ...noUsage, ...turn.usage },
    model: request.model,
    apiMs: 0,
  };
}

function usedUp(turns: number): ModelFailure {
  return {
    kind: "invalid_request",
    message: `The script has ${turns} turns and was asked for one more: add a turn.`,
  };
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}
