import type * as z from "zod/mini";
import type { Journal } from "../../journal/journal.ts";
import type {
  ActorMessage,
  AgentOrder,
  Outgoing,
  UserActorAtRest,
  UserActorChange,
  UserActorStates,
} from "../../journal/user-actors.ts";
import { type Clock, pause } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { ActorId, Ids } from "../../mailbox/ids.ts";
import { ActorError, type ActorRef, type AskOptions, actorRef, type StartedActors } from "./actor-ref.ts";
import { type AgentReport, actorNameProblem, type SealedActor } from "./define-actor.ts";
import type { UserActor } from "./user-actor.ts";

/** What actors can do with agents. */
export interface AgentsForActors {
  /** Rejects with a sentence if it cannot be started; `onStart` comes first. */
  start(order: AgentOrder, onStart: (id: ActorId) => void): Promise<AgentReport>;
  /** Resolves with the end of an agent that was started before. */
  reportOf(id: ActorId): Promise<AgentReport>;
  /** Rejects if there is no such agent. */
  send(id: ActorId, text: string): Promise<void>;
}

export interface UserActorsParts {
  readonly journal: Pick<Journal, "append">;
  readonly ids: Pick<Ids, "actor">;
  readonly clock: Clock;
  /** Of the session that is resumed. */
  readonly before: UserActorStates;
  onWarning(message: string): void;
}

export interface StartOptions<D extends SealedActor> {
  /** Unique in the session (default: the definition's). */
  readonly name?: string;
  /** The initial state (default: what its schema makes of `{}`); ignored by an actor that continues. */
  readonly state?: z.input<D["state"]>;
}

/** Each has a thread. */
const MAX_ACTORS = 64;
const DEADLINE_MS = 30_000;

/**
 * Actors of library users: typed mailboxes, journalled state, a thread each. Uses no joint: they are not agents. Agents
 * write to them through the message service.
 */
export class UserActors implements StartedActors {
  readonly #parts: UserActorsParts;
  readonly #actors = new Map<string, UserActor>();
  /** Names of those that are being started: no message reaches one before its start is durable. */
  readonly #starting = new Set<string>();
  /** Of the session before, until the program starts them again. */
  readonly #resting: Map<string, UserActorAtRest>;
  /** Messages to actors that the program has not started again. */
  #held: { readonly to: string; readonly from: string; readonly out: Outgoing }[] = [];
  #agents: AgentsForActors | null = null;
  #isClosed = false;

  constructor(parts: UserActorsParts) {
    this.#parts = parts;
    this.#resting = new Map([...parts.before].filter(([, { ended }]) => ended === null));
  }

  /** The session is open: from now on they can start agents. */
  plugIn(agents: AgentsForActors): void {
    this.#agents = agents;
  }

  /**
   * Starts an actor; in a resumed session, one of this name and definition continues with its state and the messages that
   * wait for it. Rejects with ActorError if the name is taken or invalid, or the state or the module cannot be used.
   */
  async start<D extends SealedActor>(
    definition: D,
    { name = definition.name, state }: StartOptions<D> = {},
  ): Promise<ActorRef<D["messages"]>> {
    await this.#start(definition, name, state);
    return this.find(definition, name);
  }

  /** Returns the reference of an actor that was started. Throws ActorError if it does not exist. */
  find<D extends SealedActor>(definition: D, name: string = definition.name): ActorRef<D["messages"]> {
    const actor = this.#running(name);
    if (actor.definition.name !== definition.name)
      throw new ActorError(
        "unknown",
        `${name} is an actor of ${actor.definition.name}, not of ${definition.name}.`,
      );
    return actorRef(this, name);
  }

  /** The names of those that were started and have not ended. */
  get names(): string[] {
    return [...this.#actors].flatMap(([name, { ended }]) => (ended === null ? [name] : []));
  }

  async tell(name: string, message: string, input: unknown, from: string | null = null): Promise<void> {
    await this.#accept(name, { id: this.#parts.ids.actor(), message, input, from }).durable;
  }

  async ask(
    name: string,
    message: string,
    input: unknown,
    { deadlineMs = DEADLINE_MS, signal }: AskOptions = {},
    from: string | null = null,
  ): Promise<unknown> {
    const { reply } = this.#accept(name, { id: this.#parts.ids.actor(), message, input, from });
    const over = new AbortController();
    const isOver = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
    try {
      const late = pause(this.#parts.clock, deadlineMs, isOver).then((): never => {
        if (signal?.aborted) throw new ActorError("cancelled", "The request was cancelled.");
        throw new ActorError("late", `${name} did not reply to ${message} within ${deadlineMs} ms.`);
      });
      return await Promise.race([reply, late]);
    } finally {
      over.abort();
    }
  }

  async stop(name: string): Promise<void> {
    await this.#actors.get(name)?.stop();
  }

  status(name: string): { readonly ended: UserActorAtRest["ended"]; readonly waiting: number } {
    const actor = this.#actors.get(name);
    return { ended: actor?.ended ?? null, waiting: actor?.waiting ?? 0 };
  }

  /** Leaves what waits for the session that resumes this one; every thread has ended when it resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#actors.values()].map((actor) => actor.close()));
  }

  async #start(definition: SealedActor, name: string, state: unknown): Promise<void> {
    const { clock, onWarning } = this.#parts;
    const problem = actorNameProblem(name);
    if (problem !== null) throw new ActorError("invalid", `The name ${JSON.stringify(name)} ${problem}.`);
    if (this.#isClosed) throw new ActorError("closed", "The session is closed.");
    const other = this.#actors.get(name);
    if (this.#starting.has(name) || (other !== undefined && other.ended === null))
      throw new ActorError("invalid", `There is an actor ${name} already; give this one another name.`);
    if (this.names.length + this.#starting.size >= MAX_ACTORS)
      throw new ActorError("full", `This session has ${MAX_ACTORS} actors, which is the limit.`);
    const rest = this.#resting.get(name);
    if (rest !== undefined && rest.definition !== definition.name)
      throw new ActorError(
        "invalid",
        `${name} was an actor of ${rest.definition} before; give this one another name.`,
      );
    const record = (change: UserActorChange) => this.#record(name, change);
    // Before anything is awaited: the name is taken.
    this.#starting.add(name);
    const [{ UserActor }, { actorThreads }] = await Promise.all([
      import("./user-actor.ts"),
      import("./start-thread.ts"),
    ]);
    const actor = new UserActor(
      {
        ...{ name, definition, clock, record, onWarning, startThread: actorThreads(clock) },
        carryOut: (out) => void this.#carryOut(name, out),
        ask: (to, message, input, deadlineMs) => this.ask(to, message, input, { deadlineMs }, name),
      },
      rest ?? { state, pending: [] },
    );
    try {
      const first = await actor.open();
      if (rest === undefined) await record({ type: "started", definition: definition.name, state: first });
      // The session was closed in the meantime, and did not know of it.
      if (this.#isClosed) throw new Error("The session is closed.");
    } catch (error) {
      await actor.close();
      throw new ActorError("invalid", `${name} could not be started: ${errorMessage(error)}`);
    } finally {
      this.#starting.delete(name);
    }
    this.#actors.set(name, actor);
    this.#resting.delete(name);
    actor.run();
    for (const { out, agent } of rest?.sent ?? []) void this.#carryOut(name, out, agent);
    const held = this.#held;
    this.#held = held.filter(({ to }) => to !== name);
    for (const { to, from, out } of held) if (to === name) void this.#carryOut(from, out);
  }

  /** Does what a handler has sent. What cannot be done is reported, and not tried again. */
  async #carryOut(from: string, out: Outgoing, started?: ActorId): Promise<void> {
    try {
      switch (out.type) {
        case "message":
          if (this.#resting.has(out.to)) this.#held.push({ to: out.to, from, out });
          else
            await this.#accept(out.to, { id: out.key, message: out.message, input: out.input, from }).durable;
          break;
        case "text":
          await this.#agents?.send(out.to, out.text);
          await this.#record(from, { type: "settled", key: out.key });
          break;
        case "agent": {
          const report = await this.#reportOf(from, out, started);
          if (this.#isClosed) return;
          const message = { id: out.key, message: out.as, input: report, from: report.agent };
          await this.#running(from).accept(message, true).durable;
          break;
        }
        default:
          out satisfies never;
      }
    } catch (error) {
      if (this.#isClosed) return;
      this.#parts.onWarning(`What the actor ${from} sent did not arrive: ${errorMessage(error)}`);
      await this.#record(from, { type: "settled", key: out.key }).catch(() => {});
    }
  }

  async #reportOf(
    from: string,
    { key, request }: Extract<Outgoing, { type: "agent" }>,
    started: ActorId | undefined,
  ): Promise<AgentReport> {
    const agents = this.#agents;
    if (agents === null) throw new Error("The session is not open yet.");
    if (started !== undefined) return agents.reportOf(started);
    return agents
      .start(request, (agent) => void this.#record(from, { type: "agent", key, agent }).catch(() => {}))
      .catch((error: unknown): AgentReport => ({ agent: null, status: "failed", text: errorMessage(error) }));
  }

  #accept(name: string, message: ActorMessage): ReturnType<UserActor["accept"]> {
    return this.#running(name).accept(message);
  }

  #running(name: string): UserActor {
    const actor = this.#actors.get(name);
    if (actor !== undefined) return actor;
    throw new ActorError(
      "unknown",
      this.#resting.has(name)
        ? `The actor ${name} is from before this session was resumed; start it again first.`
        : `There is no actor ${name}.`,
    );
  }

  #record(name: string, change: UserActorChange): Promise<unknown> {
    return this.#parts.journal.append({ type: "user-actor", name, change });
  }
}
