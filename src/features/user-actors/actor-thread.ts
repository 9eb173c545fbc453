import { type MessagePort, workerData } from "node:worker_threads";
import * as z from "zod/mini";
import type { Outgoing } from "../../journal/user-actors.ts";
import { systemClock } from "../../lib/clock.ts";
import { ActorId } from "../../mailbox/ids.ts";
import { Caller } from "../../mailbox/rpc/caller.ts";
import { portChannel } from "../../mailbox/rpc/channel.ts";
import { serve } from "../../mailbox/rpc/server.ts";
import type { ActorAddress, ActorContext, MessageTypes, SealedActor } from "./define-actor.ts";
import { sessionRequests, threadRequests } from "./thread-requests.ts";

/** Serves one actor in a thread of its own. */
function serveActor(port: MessagePort): void {
  const channel = portChannel(port);
  const session = new Caller(sessionRequests, { clock: systemClock, peer: "The session" });
  session.attach(channel);
  let actor: { readonly definition: SealedActor; readonly name: string; state: unknown } | null = null;
  serve(channel, threadRequests, {
    async start({ module, definition: wanted, name, state }) {
      const definition = await importActor(module, wanted);
      // With its defaults, so that what is recorded is what the handlers see.
      const first = asJson(
        parse(definition.state, asJson(state ?? {}, "The state"), "The state"),
        "The state",
      );
      actor = { definition, name, state: parse(definition.state, first, "The state") };
      return { state: first };
    },
    async receive({ message, input, sender }, { signal }) {
      if (actor === null) throw new Error("It has not been started.");
      const { definition, name } = actor;
      const type = definition.messages[message];
      const handler = definition.receive[message];
      if (type === undefined || typeof handler !== "function")
        throw new Error(`It has no handler for ${message}.`);
      const sent: Outgoing[] = [];
      const context = handlerContext({ name, sender, signal, sent, session });
      const returned: unknown = await handler(actor.state, parse(type.input, input, "The message"), context);
      Object.freeze(sent);
      const handled = Returned.safeParse(returned ?? {});
      if (!handled.success)
        throw new Error(`The handler of ${message} returned something else than { state, reply }.`);
      const { state, reply } = handled.data;
      const changed = state === undefined ? {} : { state: asJson(state, "The new state") };
      if ("state" in changed) actor.state = parse(definition.state, changed.state, "The new state");
      if (type.reply === undefined) return { ...changed, sent };
      const answer = asJson(reply, "The reply");
      parse(type.reply, answer, "The reply");
      return { ...changed, reply: answer, sent };
    },
  });
}

const Returned = z.strictObject({ state: z.optional(z.unknown()), reply: z.optional(z.unknown()) });

/** Larger ones would make every message slow: they are written with each. */
const MAX_STATE_CHARS = 1024 * 1024;

/** Returns the value as it is read back from the journal. */
function asJson(value: unknown, what: string): unknown {
  const json = JSON.stringify(value);
  if (json === undefined) throw new Error(`${what} is missing, or cannot be written as JSON.`);
  if (json.length > MAX_STATE_CHARS) throw new Error(`${what} has more than ${MAX_STATE_CHARS} characters.`);
  return JSON.parse(json);
}

function parse(schema: z.core.$ZodType, value: unknown, what: string): unknown {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw new Error(`${what} does not fit its schema: ${z.prettifyError(parsed.error)}`);
}

interface HandlerParts {
  readonly name: string;
  readonly sender: string | null;
  readonly signal: AbortSignal;
  readonly sent: Outgoing[];
  readonly session: Caller<typeof sessionRequests>;
}

function handlerContext({ name, sender, signal, sent, session }: HandlerParts): ActorContext {
  // Throws on a frozen list: the handler has returned, and nothing can be added to what it sent.
  const send = (out: Outgoing) => void sent.push(out);
  const key = () => String(sent.length);
  const checked = ({ definition }: ActorAddress<MessageTypes>, message: string, input: unknown): unknown => {
    const type = definition.messages[message];
    if (type === undefined) throw new Error(`${definition.name} has no message ${message}.`);
    parse(type.input, input, `The message ${message}`);
    return asJson(input, "The message");
  };
  return {
    ...{ name, sender, signal },
    tell: (to, message, input) =>
      send({ type: "message", key: key(), to: to.name, message, input: checked(to, message, input) }),
    text: (agent, text) => send({ type: "text", key: key(), to: ActorId.parse(agent), text }),
    startAgent: (request, as) => send({ type: "agent", key: key(), as, request: { ...request } }),
    async ask(to, message, input, { deadlineMs = 30_000 } = {}) {
      if (to.name === name) throw new Error(`${name} cannot ask itself: it handles one message at a time.`);
      const body = { to: to.name, message, input: checked(to, message, input), deadlineMs };
      const result = await session.call("ask", body, { signal });
      if (!result.ok) throw new Error(result.message);
      const type = to.definition.messages[message]?.reply;
      // Its type is that of the schema that checks it here.
      return (type === undefined ? undefined : parse(type, result.value, "The reply")) as never;
    },
  };
}

/** Throws if the module cannot be imported or does not export the definition. */
async function importActor(module: string, name: string): Promise<SealedActor> {
  const exported: Readonly<Record<string, unknown>> = await import(module);
  const definition = Object.values(exported).find((value) => isActor(value, name));
  if (definition === undefined)
    throw new Error(`${module} exports no actor ${name}; export what defineActor returned for it.`);
  return definition;
}

function isActor(value: unknown, name: string): value is SealedActor {
  return (
    typeof value === "object" &&
    value !== null &&
    "receive" in value &&
    "name" in value &&
    value.name === name
  );
}

const { port }: { readonly port: MessagePort } = workerData;
serveActor(port);
