import * as z from "zod/mini";
import { Picture } from "../mailbox/conversation.ts";
import { CallResult } from "../mailbox/messages.ts";
import { McpLimits } from "./limits.ts";
import { McpServer } from "./server.ts";

/**
 * What travels between the session and the broker's process. A ticket is the session's own number for a request, a
 * question the broker's own number for what it asks the person. Servers go by their slugs.
 */

/** What a session can want of one server. */
export const Wish = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("call"),
    tool: z.string(),
    input: z.record(z.string(), z.unknown()),
    /** Where the whole of a long result goes; null: there is no place. */
    output: z.nullable(z.string()),
  }),
  z.object({ type: z.literal("list-resources") }),
  z.object({ type: z.literal("read-resource"), uri: z.string(), output: z.nullable(z.string()) }),
  z.object({ type: z.literal("list-prompts") }),
  z.object({ type: z.literal("get-prompt"), name: z.string(), arguments: z.record(z.string(), z.string()) }),
  z.object({ type: z.literal("sign-in") }),
  z.object({ type: z.literal("sign-out") }),
]);
export type Wish = z.infer<typeof Wish>;

export const ToBroker = z.discriminatedUnion("type", [
  /** The first message. */
  z.object({
    type: z.literal("begin"),
    /** Of every stdio server, before what its own entry adds. */
    env: z.record(z.string(), z.string()),
    /** Where stdio servers stand. */
    cwd: z.string(),
    /** What servers are told of the folders that are worked in. */
    roots: z.array(z.string()),
    /** Where sign-ins are kept: a private folder. */
    signIns: z.string(),
    limits: McpLimits,
    /** Whether somebody could answer a server's questions. */
    elicits: z.boolean(),
    version: z.string(),
  }),
  /** `life`: what is said of it carries this, so that a server that is being ended is not taken for its successor. */
  z.object({ type: z.literal("start"), server: McpServer, life: z.number() }),
  z.object({ type: z.literal("stop"), slug: z.string() }),
  /** Ends its connection and makes a new one. */
  z.object({ type: z.literal("restart"), slug: z.string() }),
  z.object({ type: z.literal("request"), ticket: z.number(), slug: z.string(), wish: Wish }),
  z.object({ type: z.literal("cancel"), ticket: z.number() }),
  /** To one of the broker's questions. */
  z.object({ type: z.literal("answer"), question: z.number(), answer: z.unknown() }),
]);
export type ToBroker = z.infer<typeof ToBroker>;

export const ToolSaid = z.object({
  tool: z.string(),
  description: z.string(),
  inputSchema: z.looseObject({ type: z.literal("object") }),
  digest: z.string(),
  readOnly: z.boolean(),
});
export type ToolSaid = z.infer<typeof ToolSaid>;

export const ResourceSaid = z.object({
  uri: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  mimeType: z.optional(z.string()),
});

export const PromptSaid = z.object({
  name: z.string(),
  description: z.optional(z.string()),
  arguments: z.array(
    z.object({ name: z.string(), description: z.optional(z.string()), required: z.boolean() }),
  ),
});

/** How a wish came out. */
export const Outcome = z.discriminatedUnion("type", [
  z.object({ type: z.literal("result"), result: CallResult }),
  z.object({ type: z.literal("resources"), resources: z.array(ResourceSaid) }),
  z.object({ type: z.literal("prompts"), prompts: z.array(PromptSaid) }),
  z.object({
    type: z.literal("prompt"),
    messages: z.array(
      z.object({ role: z.enum(["user", "assistant"]), text: z.string(), pictures: z.array(Picture) }),
    ),
  }),
  z.object({ type: z.literal("signed-in") }),
  /** `was`: somebody had signed in. */
  z.object({ type: z.literal("signed-out"), was: z.boolean() }),
  /** One sentence. */
  z.object({ type: z.literal("failed"), message: z.string() }),
]);
export type Outcome = z.infer<typeof Outcome>;

const State = z.discriminatedUnion("type", [
  z.object({ type: z.literal("starting"), reason: z.optional(z.string()) }),
  z.object({ type: z.literal("connected") }),
  z.object({ type: z.literal("needs-auth"), reason: z.string() }),
  z.object({ type: z.literal("failed"), reason: z.string() }),
  z.object({ type: z.literal("stopped") }),
]);

export const BrokerQuestion = z.discriminatedUnion("type", [
  z.object({ type: z.literal("elicit"), message: z.string(), schema: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal("browser"), url: z.string() }),
]);
export type BrokerQuestion = z.infer<typeof BrokerQuestion>;

export const FromBroker = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("state"),
    slug: z.string(),
    life: z.number(),
    state: State,
    instructions: z.optional(z.string()),
  }),
  /** A server's process, told at once, so that the session can end its group itself if the broker dies. */
  z.object({ type: z.literal("process"), pid: z.number(), running: z.boolean() }),
  z.object({ type: z.literal("tools"), slug: z.string(), life: z.number(), tools: z.array(ToolSaid) }),
  z.object({
    ...{ type: z.literal("changed"), slug: z.string(), life: z.number() },
    what: z.enum(["resources", "prompts"]),
  }),
  z.object({
    type: z.literal("progress"),
    ticket: z.number(),
    progress: z.number(),
    total: z.optional(z.number()),
    message: z.optional(z.string()),
  }),
  z.object({ type: z.literal("outcome"), ticket: z.number(), outcome: Outcome }),
  z.object({ type: z.literal("question"), question: z.number(), slug: z.string(), asks: BrokerQuestion }),
  /** The answer no longer matters. */
  z.object({ type: z.literal("withdrawn"), question: z.number() }),
  z.object({ type: z.literal("warning"), message: z.string() }),
]);
export type FromBroker = z.infer<typeof FromBroker>;
