import * as z from "zod/mini";
import { Picture } from "../mailbox/conversation.ts";
import { CallResult } from "../mailbox/messages.ts";
import { McpLimits } from "./limits.ts";
import { McpServer } from "./server.ts";

/** What the session and the broker's process ask and tell each other. Servers go by their slugs. */

/** What a session can want of one server. */
export const McpRequest = z.discriminatedUnion("type", [
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
export type McpRequest = z.infer<typeof McpRequest>;

/** What the broker is told. */
export const BROKER_NOTICES = {
  /** The first message. */
  begin: z.object({
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
  start: z.object({ server: McpServer, life: z.number() }),
  stop: z.object({ slug: z.string() }),
  /** Ends its connection and makes a new one. */
  restart: z.object({ slug: z.string() }),
} as const;
export type Begin = z.infer<typeof BROKER_NOTICES.begin>;

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

export const Progress = z.object({
  progress: z.number(),
  total: z.optional(z.number()),
  message: z.optional(z.string()),
});
export type Progress = z.infer<typeof Progress>;

/** What the broker is asked for. */
export const BROKER_REQUESTS = {
  carryOut: { request: z.object({ slug: z.string(), wish: McpRequest }), response: Outcome, event: Progress },
} as const;

/** What the broker asks the person, by way of the session. */
export const SESSION_REQUESTS = {
  /** Undefined where there is no answer, which counts as no. */
  elicit: {
    request: z.object({
      ...{ slug: z.string(), message: z.string(), schema: z.record(z.string(), z.unknown()) },
    }),
    response: z.unknown(),
  },
  /** Shows a page; false: nobody is there to see it. */
  browser: { request: z.object({ slug: z.string(), url: z.string() }), response: z.boolean() },
} as const;

/** What the broker tells. */
export const SESSION_NOTICES = {
  state: z.object({
    ...{ slug: z.string(), life: z.number(), state: State },
    instructions: z.optional(z.string()),
  }),
  /** A server's process, told at once, so that the session can end its group itself if the broker dies. */
  process: z.object({ pid: z.number(), running: z.boolean() }),
  tools: z.object({ slug: z.string(), life: z.number(), tools: z.array(ToolSaid) }),
  changed: z.object({ slug: z.string(), life: z.number(), what: z.enum(["resources", "prompts"]) }),
  warning: z.object({ message: z.string() }),
} as const;
export type Told<Name extends keyof typeof SESSION_NOTICES> = z.infer<(typeof SESSION_NOTICES)[Name]>;
