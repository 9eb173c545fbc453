import type Anthropic from "@anthropic-ai/sdk";
import type { ContentBlockParam, MessageParam } from "../mailbox/conversation.ts";
import { blocksOf } from "../mailbox/turns.ts";
import type { ModelRequest } from "./client.ts";

const CACHED = { cache_control: { type: "ephemeral" } } as const;

/**
 * The body of one request (A1.4, A1.5, A1.15). Cache breakpoints are on the last system block and on the
 * last block of the last message, never on tools (A22.19); and where that stood in the request before: the API looks
 * for what it has kept no more than 20 blocks back, and a reply of ten calls with their results is more. And on
 * the last result if a text follows it: forks of one reply differ in nothing else. `isCached` false: none at all. No part of the
 * request is changed in place. `showsProgress`: what the model does between calls is asked for.
 */
export function bodyOf(
  request: ModelRequest,
  model: string,
  isCached = true,
  showsProgress = false,
): MessageBody {
  const { tools, thinkingTokens = 0, messages, webSearch } = request;
  const before = messages.findLastIndex(({ role }, index) => role === "user" && index < messages.length - 1);
  return {
    model,
    max_tokens: request.maxTokens,
    ...(request.system.length > 0 ? { system: systemOf(request.system, isCached) } : {}),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })),
          // The tools stay: they are part of the cached prefix.
          ...(request.withoutTools && !request.wordsAlone ? { tool_choice: { type: "none" as const } } : {}),
        }
      : {}),
    ...(webSearch ? searchOf(webSearch) : {}),
    messages: messages.map((message, index) => {
      if (!isCached) return message;
      if (index === messages.length - 1) return withBreakpoints(message);
      return index === before ? withBreakpoint(message) : message;
    }),
    ...(thinkingTokens > 0 ? { thinking: thinkingOf(model, thinkingTokens) } : {}),
    ...(showsProgress ? { thinking: PROGRESS_SHOWN } : {}),
    ...(request.effort === undefined ? {} : { output_config: { effort: request.effort } }),
    stream: true,
  };
}

/** The types of the API's library describe no beta. */
type MessageBody = Omit<Anthropic.MessageCreateParamsStreaming, "thinking"> & {
  readonly thinking?: Anthropic.ThinkingConfigParam | typeof PROGRESS_SHOWN;
};
const PROGRESS_SHOWN = { type: "adaptive", display: "updates" } as const;

/**
 * True if this model writes what it does between calls as thoughts, which the API leaves empty unless it is asked for them. They
 * are for the user. Who asks for all thoughts gets them in any case.
 */
export function tellsProgress({ tools, thinkingTokens = 0 }: ModelRequest, model: string): boolean {
  const known = versionOf(model);
  if (known === null || tools.length === 0 || thinkingTokens > 0) return false;
  const from = PROGRESS_FROM[known.family];
  return from !== undefined && isFrom(known, from);
}

/** The first version of each family that does so. */
const PROGRESS_FROM: Readonly<Record<string, Version>> = {
  opus: { major: 5, minor: 5 },
  sonnet: { major: 5, minor: 5 },
  fable: { major: 5, minor: 0 },
  mythos: { major: 5, minor: 0 },
};

/** The same for a count: it has neither limits of the reply nor cache breakpoints. */
export function countBodyOf(request: ModelRequest, model: string): Anthropic.MessageCountTokensParams {
  const { system, tools, messages, thinkingTokens = 0 } = request;
  return {
    model,
    ...(system.length > 0 ? { system: system.map((text) => ({ type: "text" as const, text })) } : {}),
    ...(tools.length > 0
      ? { tools: tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })) }
      : {}),
    messages: [...messages],
    ...(thinkingTokens > 0 ? { thinking: thinkingOf(model, thinkingTokens) } : {}),
  };
}

/** It is asked for in words: newer models refuse a request that forces a tool. */
function searchOf({
  allowed = [],
  blocked = [],
}: NonNullable<ModelRequest["webSearch"]>): Pick<Anthropic.MessageCreateParams, "tools"> {
  const domains =
    allowed.length > 0
      ? { allowed_domains: [...allowed] }
      : blocked.length > 0
        ? { blocked_domains: [...blocked] }
        : {};
  return { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 1, ...domains }] };
}

function systemOf(system: readonly string[], isCached: boolean): Anthropic.TextBlockParam[] {
  return system.map((text, index) => ({
    type: "text",
    text,
    ...(isCached && index === system.length - 1 ? CACHED : {}),
  }));
}

/** The last message of a request is the user's: results, a prompt, steering. */
function withBreakpoints(message: MessageParam): MessageParam {
  const blocks = blocksOf(message);
  const result = blocks.findLastIndex(({ type }) => type === "tool_result");
  return marked(message, blocks, [result, blocks.length - 1]);
}

function withBreakpoint(message: MessageParam): MessageParam {
  const blocks = blocksOf(message);
  return marked(message, blocks, [blocks.length - 1]);
}

function marked(
  message: MessageParam,
  blocks: readonly ContentBlockParam[],
  places: readonly number[],
): MessageParam {
  if (message.role !== "user" || !places.some((place) => takesBreakpoint(blocks[place]))) return message;
  return {
    role: "user",
    content: blocks.map((block, place) =>
      places.includes(place) && takesBreakpoint(block) ? { ...block, ...CACHED } : block,
    ),
  };
}

/** The API refuses a breakpoint on thinking and on empty text. */
function takesBreakpoint(block: ContentBlockParam | undefined): boolean {
  if (block === undefined || block.type === "thinking" || block.type === "redacted_thinking") return false;
  return block.type !== "text" || block.text !== "";
}

interface Version {
  readonly major: number;
  readonly minor: number;
}

/** The first version that thinks adaptively (Claude 4.6). */
const ADAPTIVE_FROM: Version = { major: 4, minor: 6 };

/**
 * How a model is asked to think. Newer Claude models decide themselves how much and reject a budget; older
 * ones, and other models behind the same API, want one.
 */
function thinkingOf(model: string, tokens: number): Anthropic.ThinkingConfigParam {
  const known = versionOf(model);
  return known !== null && isFrom(known, ADAPTIVE_FROM)
    ? { type: "adaptive", display: "summarized" }
    : { type: "enabled", budget_tokens: tokens };
}

/** Full IDs only: claude-<family>-<major>[-<minor>][-<date>]; a longer number is a date. */
function versionOf(model: string): (Version & { readonly family: string }) | null {
  const [, family, major, minor = "0"] =
    /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(model) ?? [];
  if (family === undefined) return null;
  return { family, major: Number(major), minor: Number(minor) };
}

function isFrom({ major, minor }: Version, first: Version): boolean {
  return major > first.major || (major === first.major && minor >= first.minor);
}
