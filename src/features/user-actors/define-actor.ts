import * as z from "zod/mini";
import type { AgentResult } from "../../events/agent-result.ts";
import type { AgentOrder } from "../../journal/user-actors.ts";
import { ActorId } from "../../mailbox/ids.ts";
import { Status } from "../../mailbox/messages.ts";
import { moduleProblem } from "../../tools/tool-module.ts";

/** One sort of message. With `reply` it can be asked, without it only told. */
export interface MessageType {
  /** zod or zod/mini; what it describes must be JSON. */
  readonly input: z.core.$ZodType;
  readonly reply?: z.core.$ZodType;
}

export type MessageTypes = { readonly [name: string]: MessageType };

/** Names of the messages that have a reply. */
export type Asked<M extends MessageTypes> = {
  [K in keyof M]: M[K] extends { readonly reply: z.core.$ZodType } ? K : never;
}[keyof M] &
  string;

export type ReplyTo<T extends MessageType> = T extends { readonly reply: infer R extends z.core.$ZodType }
  ? z.output<R>
  : never;

/** What a handler returns: the state after the message (absent: unchanged), and the reply if the message has one. */
export type Handled<T extends MessageType, State> = T extends {
  readonly reply: infer R extends z.core.$ZodType;
}
  ? { readonly state?: State; readonly reply: z.input<R> }
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler that ends with `context.tell(…)` returns nothing
    { readonly state?: State } | undefined | void;

/** The address of an actor, typed by its messages: `limiter.at("name")`. */
export interface ActorAddress<M extends MessageTypes> {
  readonly name: string;
  readonly definition: SealedActor & { readonly messages: M };
}

export type { AgentOrder } from "../../journal/user-actors.ts";

/** The message that brings the end of an agent that an actor started. */
export const agentReport = z.object({
  /** Null: the agent could not be started; `text` says why. */
  agent: z.nullable(ActorId),
  status: Status,
  text: z.string(),
  output: z.optional(z.unknown()),
});
/** The end of an agent that an actor started. */
export type AgentReport = z.infer<typeof agentReport>;

export function formatAgentReport({ id, summary: { status, text, output } }: AgentResult): AgentReport {
  return { agent: id, status, text, ...(output === undefined ? {} : { output }) };
}

/** What a handler can do. `tell`, `text` and `startAgent` happen once the state is durable, or not at all. */
export interface ActorContext {
  readonly name: string;
  /** The name of the actor or the ID of the agent that sent the message, or null if the program did. */
  readonly sender: string | null;
  /** Aborted when the session closes and when the handler takes too long. */
  readonly signal: AbortSignal;
  tell<M extends MessageTypes, K extends keyof M & string>(
    to: ActorAddress<M>,
    message: K,
    input: z.input<M[K]["input"]>,
  ): void;
  /** Sends text to an agent, or to `main`; it reads it at its next turn. After a crash it may arrive twice. */
  text(agent: string, text: string): void;
  /** Starts an agent. Its end arrives as the message `as`, whose input is `agentReport`. */
  startAgent(order: AgentOrder, as: string): void;
  /** Asks another actor now and waits. Rejects after `deadlineMs` (default 30,000). After a crash it is asked again. */
  ask<M extends MessageTypes, K extends Asked<M>>(
    to: ActorAddress<M>,
    message: K,
    input: z.input<M[K]["input"]>,
    options?: { readonly deadlineMs?: number },
  ): Promise<ReplyTo<M[K]>>;
}

/** How an actor is supervised. */
interface Supervision {
  /** Messages that may wait; more are refused (default 1,000). */
  readonly mailbox?: number;
  /** Milliseconds that a handler may take (default 60,000). */
  readonly handlerMs?: number;
  /** The actor fails at the crash after this many within the time in milliseconds (default 3 within 60,000). */
  readonly restarts?: { readonly most: number; readonly withinMs: number };
}

/** What `defineActor` takes. */
export interface ActorSpecOf<M extends MessageTypes, S extends z.core.$ZodType> extends Supervision {
  /** Of the definition; an actor has this name too if it is given no other. */
  readonly name: string;
  /** `import.meta.url` of the module that exports the definition: the actor's thread imports it. */
  readonly module: string;
  readonly messages: M;
  /** Its initial value is what the schema makes of `{}`, or of the `state` that the actor is started with. Must be JSON. */
  readonly state: S;
  /** One handler per message; one message at a time. A throw is a crash. */
  readonly receive: {
    readonly [K in keyof M]: (
      state: z.output<S>,
      input: z.output<M[K]["input"]>,
      context: ActorContext,
    ) => Handled<M[K], z.input<S>> | Promise<Handled<M[K], z.input<S>>>;
  };
}

/** A definition without its types. */
export interface SealedActor {
  readonly name: string;
  readonly module: string;
  readonly messages: MessageTypes;
  readonly state: z.core.$ZodType;
  readonly receive: Readonly<Record<string, unknown>>;
  readonly mailbox: number;
  readonly handlerMs: number;
  readonly restarts: { readonly most: number; readonly withinMs: number };
}

/** What `defineActor` returns. */
export interface ActorDefinition<M extends MessageTypes, S extends z.core.$ZodType> extends SealedActor {
  readonly messages: M;
  readonly state: S;
  /** Returns the address of the actor of this definition that has this name (default: the definition's). */
  at(name?: string): ActorAddress<M>;
}

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Returns why a name cannot be used, as the end of a sentence, or null. */
export function actorNameProblem(name: string): string | null {
  if (name === "main" || name === "parent") return "has a meaning of its own; choose another name";
  return NAME.test(name) ? null : "must have 1 to 64 lower-case letters, digits and hyphens, a letter first";
}

/**
 * Defines an actor of your own: typed messages, state that survives `kill -9`, and a thread of its own. Start it with
 * `session.actors.start(definition)`. Throws if the name or the module cannot be used.
 */
export function defineActor<const M extends MessageTypes, S extends z.core.$ZodType>(
  spec: ActorSpecOf<M, S>,
): ActorDefinition<M, S> {
  const problem = actorNameProblem(spec.name);
  if (problem !== null) throw new Error(`The name ${JSON.stringify(spec.name)} ${problem}.`);
  const moduleWrong = moduleProblem(spec.module, "actor");
  if (moduleWrong !== null) throw new Error(`module of ${spec.name} ${moduleWrong}`);
  const definition: ActorDefinition<M, S> = {
    ...{ name: spec.name, module: spec.module, messages: spec.messages, state: spec.state },
    receive: spec.receive,
    mailbox: spec.mailbox ?? 1_000,
    handlerMs: spec.handlerMs ?? 60_000,
    restarts: spec.restarts ?? { most: 3, withinMs: 60_000 },
    at: (name = spec.name) => ({ name, definition }),
  };
  return definition;
}
