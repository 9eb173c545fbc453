import * as z from "zod/mini";
import {
  type ContentBlockParam,
  Message,
  type MessageParam,
  type ToolResultBlockParam,
  Usage,
} from "./conversation.ts";

/**
 * How a conversation is shown to its model since it was made smaller. The turns stay what they were; of several
 * records of an actor the newest holds. Everything is literal or a plain rule, so that each thread, and each fork,
 * makes the same bytes of it (promise 8).
 */
export const Compacted = z.object({
  /** So many turns had been taken when it was last shown anew. */
  turn: z.number(),
  /** What stands in place of the first messages and of the turns up to `through`; empty: nothing does. */
  messages: z.array(Message),
  through: z.number(),
  /** Long results of the turns up to this one are replaced by a reference. */
  elided: z.number(),
  /** Of the newest turn up to there each long result keeps so many characters of its beginning. */
  newest: z.optional(z.object({ turn: z.number(), chars: z.number() })),
  /** The folder that holds those results, whole. */
  folder: z.string(),
  /** Of all requests for summaries so far; no turn has it. */
  usage: Usage,
  /** Attempts in a row that came to nothing. */
  failures: z.number(),
  /** Tokens that the model's server said its window has, where they are fewer than was believed. */
  window: z.optional(z.number()),
});
export type Compacted = z.infer<typeof Compacted>;

/** What a conversation has to fit into. */
export const ContextWindow = z.object({
  /** Of the model: all tokens of a request and its reply. */
  tokens: z.number(),
  /** The share of them at which it is made smaller, if not before. */
  compactAt: z.number(),
  /** False: only when the person asks for it. */
  auto: z.boolean(),
});
export type ContextWindow = z.infer<typeof ContextWindow>;

/** Why a conversation is made smaller: it would not fit, or the person wants it. */
export const Trigger = z.enum(["auto", "manual"]);
export type Trigger = z.infer<typeof Trigger>;

/** The person's wish (`/compact`), with what the summary should look after. */
export const CompactRequest = z.object({
  instructions: z.string(),
  /** The actor runs for nothing else: it has no question to answer. */
  alone: z.optional(z.literal(true)),
});
export type CompactRequest = z.infer<typeof CompactRequest>;

/** Asked before a summary is written: may it be? */
export const CompactBegin = z.object({ instructions: z.string(), trigger: Trigger });
export type CompactBegin = z.infer<typeof CompactBegin>;

/** `instructions`: the wish's, and what hooks add to them. */
export const CompactAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("go"), instructions: z.string() }),
  z.object({ type: z.literal("blocked"), reason: z.string() }),
]);
export type CompactAnswer = z.infer<typeof CompactAnswer>;

/** What came of it; durable when it is answered. */
export const CompactEnd = z.object({
  trigger: Trigger,
  /** Absent: nothing has changed. The folder is the supervisor's to say. */
  compacted: z.optional(z.omit(Compacted, { folder: true })),
  /** Tokens of the next request, before and after, as far as they are known. */
  before: z.number(),
  after: z.number(),
  /** Why there is no summary, as a sentence; absent: there is one, or none was needed. */
  reason: z.optional(z.string()),
});
export type CompactEnd = z.infer<typeof CompactEnd>;

/** What came of the person's wish. Tokens of the next request, as far as they are known. */
export type Compaction =
  | { readonly type: "compacted"; readonly before: number; readonly after: number }
  /** The conversation is as it was; `reason` is a sentence. */
  | { readonly type: "left"; readonly reason: string };

/** Shorter results stay: the reference would be as long. */
export const ELIDED_FROM_CHARS = 800;

/** The file's name of a result that was taken out: that of its call (`CallId`). */
export function elidedPath(folder: string, actor: string, turn: number, index: number): string {
  return `${folder}/${actor}.${turn}.${index}.md`;
}

/** The text of a result; what is no text is only named. */
export function resultText(content: ToolResultBlockParam["content"]): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

/** Whether the reference is worth its place. A picture always is. */
export function isElidable({ content }: Pick<ToolResultBlockParam, "content">): boolean {
  if (Array.isArray(content) && content.some(({ type }) => type !== "text")) return true;
  return resultText(content).length >= ELIDED_FROM_CHARS;
}

export interface ElidedResult {
  readonly path: string;
  readonly tool: string;
  readonly block: ToolResultBlockParam;
}

/** The long results of a turn's messages, in the order of their calls. */
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

/** The turn's messages with references in place of long results; of the newest turn's after their beginning. */
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
  const lost = pictures ? " Pictures and documents are not in it: call again for those." : "";
  return `[This result of ${tool} (${text.length} characters) was taken out to make room in the context window. It is kept in ${path}: Read that file, in parts (offset, limit) if it is long, when you need it again.${lost} What has changed since then only a new call shows.]`;
}
