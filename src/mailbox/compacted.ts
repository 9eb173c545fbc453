import * as z from "zod/mini";
import {
  type ContentBlockParam,
  Message,
  type MessageParam,
  type ToolResultBlockParam,
  Usage,
} from "./conversation.ts";

/**
 * How a model sees its conversation after compaction. The turns stay what they were; the newest record of an actor
 * counts. Everything is literal or a plain rule, so that each thread and each fork builds the same bytes (promise 8).
 */
export const Compacted = z.lazy(() =>
  z.object({
    /** The number of turns at this compaction. */
    turn: z.number(),
    /** Replaces the first messages and the turns up to `through`; may be empty. */
    messages: z.array(Message),
    through: z.number(),
    /** Long results of the turns up to this one are replaced by a reference. */
    elided: z.number(),
    /** Characters kept at the start of each long result of the newest of those turns. */
    newest: z.optional(z.object({ turn: z.number(), chars: z.number() })),
    /** The directory that holds those results, whole. */
    folder: z.string(),
    /** Of all requests for summaries so far, which are in no turn. */
    usage: Usage,
    /** Consecutive attempts that failed. */
    failures: z.number(),
    /** The window that the model's server reported, if it is smaller than assumed. */
    window: z.optional(z.number()),
  }),
);
export type Compacted = z.infer<typeof Compacted>;

/** The size that a conversation has to fit into. */
export const ContextWindow = z.lazy(() =>
  z.object({
    /** Of the model: all tokens of a request and its reply. */
    tokens: z.number(),
    /** The share of them at which it is compacted, if not before. */
    compactAt: z.number(),
    /** False to compact only at the user's request. */
    auto: z.boolean(),
  }),
);
export type ContextWindow = z.infer<typeof ContextWindow>;

/** Why a conversation is compacted: it would not fit, or the user requested it. */
export const Trigger = z.enum(["auto", "manual"]);
export type Trigger = z.infer<typeof Trigger>;

/** The user's request (`/compact`), with instructions for the summary. */
export const CompactRequest = z.lazy(() =>
  z.object({
    instructions: z.string(),
    /** The run only compacts: there is no question to answer. */
    alone: z.optional(z.literal(true)),
  }),
);
export type CompactRequest = z.infer<typeof CompactRequest>;

/** Sent before a summary is written, to ask whether it may be. */
export const CompactBegin = z.object({ instructions: z.string(), trigger: Trigger });
export type CompactBegin = z.infer<typeof CompactBegin>;

/** `instructions`: the user's, and those that hooks add. */
export const CompactAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("go"), instructions: z.string() }),
  z.object({ type: z.literal("blocked"), reason: z.string() }),
]);
export type CompactAnswer = z.infer<typeof CompactAnswer>;

/** The outcome; durable when the response arrives. */
export interface CompactEnd {
  readonly trigger: Trigger;
  /** Absent if nothing has changed. The supervisor sets the directory. */
  readonly compacted?: Omit<Compacted, "folder"> | undefined;
  /** Tokens of the next request before and after, as far as known. */
  readonly before: number;
  readonly after: number;
  /** Why there is no summary, as a sentence; absent if there is one, or if none was needed. */
  readonly reason?: string | undefined;
}

/** The outcome of the user's request, with tokens of the next request as far as known. */
export type Compaction =
  | { readonly type: "compacted"; readonly before: number; readonly after: number }
  /** The conversation is unchanged; `reason` is a sentence. */
  | { readonly type: "left"; readonly reason: string };

/** Shorter results are not elided: the reference would be as long. */
export const ELIDED_FROM_CHARS = 800;

/** Returns the path of an elided result, named after its call (`CallId`). */
export function elidedPath(folder: string, actor: string, turn: number, index: number): string {
  return `${folder}/${actor}.${turn}.${index}.md`;
}

/** Returns the text of a result; other blocks are only named. */
export function resultText(content: ToolResultBlockParam["content"]): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

/** True if eliding saves space; an image always does. */
export function isElidable({ content }: Pick<ToolResultBlockParam, "content">): boolean {
  if (Array.isArray(content) && content.some(({ type }) => type !== "text")) return true;
  return resultText(content).length >= ELIDED_FROM_CHARS;
}

export interface ElidedResult {
  readonly path: string;
  readonly tool: string;
  readonly block: ToolResultBlockParam;
}

/** Returns the long results of a turn's messages, in the order of their calls. */
export function elidedOf(
  messages: readonly MessageParam[],
  turn: number,
  { actor, folder }: { readonly actor: string; readonly folder: string },
): ElidedResult[] {
  const blocks = messages.flatMap(({ content }): readonly ContentBlockParam[] =>
    typeof content === "string" ? [] : content,
  );
  const tools = new Map(
    blocks.flatMap((block) => (block.type === "tool_use" ? [[block.id, block.name]] : [])),
  );
  const results = blocks.filter((block) => block.type === "tool_result");
  return results.flatMap((block, index) =>
    isElidable(block)
      ? [
          {
            path: elidedPath(folder, actor, turn, index),
            tool: tools.get(block.tool_use_id) ?? "a tool",
            block,
          },
        ]
      : [],
  );
}

/** Returns the turn's messages with references for long results; those of the newest turn keep their start. */
export function withoutResults(
  messages: readonly MessageParam[],
  turn: number,
  of: { readonly actor: string } & Pick<Compacted, "folder" | "newest">,
): MessageParam[] {
  const keeps = of.newest?.turn === turn ? of.newest.chars : 0;
  const elided = new Map(elidedOf(messages, turn, of).map((one) => [one.block, one]));
  if (elided.size === 0) return [...messages];
  return messages.map((message): MessageParam => {
    if (message.role !== "user" || typeof message.content === "string") return message;
    return {
      role: "user",
      content: message.content.map((block): ContentBlockParam => {
        const one = block.type === "tool_result" ? elided.get(block) : undefined;
        return one ? { ...one.block, content: shortened(one, keeps) } : block;
      }),
    };
  });
}

function shortened(result: ElidedResult, keeps: number): Exclude<ToolResultBlockParam["content"], undefined> {
  const { content } = result.block;
  const text = resultText(content);
  if (keeps === 0) return referenceTo(result);
  if (typeof content === "string" && text.length <= keeps + ELIDED_FROM_CHARS) return content;
  const start = text.slice(0, keeps).toWellFormed();
  return `${start}\n[Only its beginning is left here.] ${referenceTo(result)}`;
}

function referenceTo({ path, tool, block }: ElidedResult): string {
  const text = resultText(block.content);
  const pictures = Array.isArray(block.content) && block.content.some(({ type }) => type !== "text");
  const lost = pictures ? " Images and documents are not in it: call again for those." : "";
  return `[This result of ${tool} (${text.length} characters) was taken out to make room in the context window. It is kept in ${path}: Read that file, in parts (offset, limit) if it is long, when you need it again.${lost} What has changed since then only a new call shows.]`;
}
