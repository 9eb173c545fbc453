import type { ContentBlock, Usage } from "../mailbox/conversation.ts";
import type { ModelOutcome, ModelReply, ModelRequest } from "./client.ts";
import { invalidInput, markCut } from "./invalid-input.ts";
import { promptBound, requestMeasure } from "./meter.ts";

/** What an API does not accept in a call's ID or a tool's name. */
const ODD = /[^a-zA-Z0-9_-]/g;
const MOST_NAME = 128;
/** Far above any context window: a larger count is a server's error. */
const MOST_TOKENS = 10_000_000;

/** The one door for what any client returns. */
export function soundOutcome(outcome: ModelOutcome, request: ModelRequest): ModelOutcome {
  if (outcome.type === "reply") return { ...outcome, reply: soundReply(outcome.reply, request) };
  const { partialText, usage } = outcome.failure;
  const text = partialText === undefined ? {} : { partialText: partialText.toWellFormed() };
  const paid = usage === undefined ? {} : { usage: soundUsage(usage, request).usage };
  return { ...outcome, failure: { ...outcome.failure, ...text, ...paid } };
}

/**
 * Returns the reply as the conversation can keep it: half characters are replaced, IDs and names of calls are ones that the
 * API accepts in later requests, and counts of tokens are possible ones.
 */
export function soundReply(reply: ModelReply, request: ModelRequest): ModelReply {
  const { usage, odd } = soundUsage(reply.usage, request);
  const sound = reply.content.map((block) => soundBlock(block, request));
  const isCut = reply.stopReason === "max_tokens";
  const content = withoutRepeatedIds(
    isCut ? cutShort(sound, usage.output_tokens || request.maxTokens) : sound,
  );
  return { ...reply, content, usage, ...(odd ? { oddUsage: true } : {}) };
}

/** The last call of a reply that was cut, where the cut went through it. */
function cutShort(content: readonly ContentBlock[], tokens: number): ContentBlock[] {
  const last = content.at(-1);
  if (last?.type !== "tool_use") return [...content];
  const raw = invalidInput(last);
  const isEmpty = Object.keys(Object(last.input)).length === 0;
  if (raw === null && !isEmpty) return [...content];
  return [...content.slice(0, -1), { ...last, input: markCut(raw ?? "", tokens) }];
}

function soundBlock(block: ContentBlock, { messages }: ModelRequest): ContentBlock {
  const sound = wellFormed(block);
  if (sound.type !== "tool_use") return sound;
  const id = sound.id.replace(ODD, "_") || `call_${messages.length}`;
  const name = sound.name.replace(ODD, "_").slice(0, MOST_NAME) || "unnamed";
  return id === sound.id && name === sound.name ? sound : { ...sound, id, name };
}

/** Half a character in any string or key would make an API reject every later request. */
function wellFormed<T>(value: T): T;
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || isWellFormed(value)) return value;
  if (Array.isArray(value)) return value.map((inner) => wellFormed(inner));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  );
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

function soundUsage(claimed: Usage, request: ModelRequest): { readonly usage: Usage; readonly odd: boolean } {
  let odd = false;
  const sound = (count: unknown, most: () => number): number => {
    if (typeof count === "number" && count >= 0 && count <= MOST_TOKENS) return Math.ceil(count);
    odd = true;
    return typeof count === "number" && count > MOST_TOKENS ? most() : 0;
  };
  const prompt = () => promptBound(requestMeasure()(request));
  const usage = {
    input_tokens: sound(claimed.input_tokens, prompt),
    output_tokens: sound(claimed.output_tokens, () => request.maxTokens),
    cache_creation_input_tokens: sound(claimed.cache_creation_input_tokens, prompt),
    cache_read_input_tokens: sound(claimed.cache_read_input_tokens, prompt),
  };
  return { usage, odd };
}

/**
 * Makes the call IDs of a reply unique (fault 26): results are paired by the provider's ID, and servers reject
 * duplicates in the next request. An identical call is left out, so that nothing runs twice; another call with a used
 * ID gets a new one.
 */
function withoutRepeatedIds(content: readonly ContentBlock[]): ContentBlock[] {
  const calls = new Map<string, string>();
  return content.flatMap((block): ContentBlock[] => {
    if (block.type !== "tool_use") return [block];
    const call = JSON.stringify([block.name, block.input]);
    const before = calls.get(block.id);
    if (before === call) return [];
    const id = before === undefined ? block.id : unused(block.id, calls);
    calls.set(id, call);
    return [id === block.id ? block : { ...block, id }];
  });
}

function unused(id: string, used: ReadonlyMap<string, string>): string {
  let n = 2;
  while (used.has(`${id}-${n}`)) n += 1;
  return `${id}-${n}`;
}
