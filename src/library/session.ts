import * as z from "zod/mini";
import type { AgentResult } from "../events/agent-result.ts";
import type { SupervisorEvent } from "../events/event.ts";
import { isZod } from "../features/agents/json-schema-of.ts";
import { actorOf } from "../features/events/actor-view.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { SpawnRequest, SupervisorOptions } from "../session/options.ts";
import { Supervisor } from "../session/supervisor.ts";
import { EventStream } from "./event-stream.ts";
import { flattenOptions, type OutputOf, type OutputSchema, type SessionOptions } from "./options.ts";
import type { ProjectOptions } from "./read-project.ts";

/** How an agent ended, with its answer as data. */
export interface TypedResult<T> extends AgentResult {
  /** What fits `output` of the request; null if none was asked for, or the agent's answer does not fit. */
  readonly output: T | null;
}

/** An agent that was started: resolves with its one result. */
export interface AgentRun<T> extends Promise<TypedResult<T>> {
  /** What happens to this agent from now on. Ends with the agent. */
  events(): AsyncIterableIterator<SupervisorEvent>;
}

/** What a project's files have made of the options. */
interface ProjectSession {
  readonly project: SupervisorOptions;
}

/**
 * A session: a main conversation and any number of agents, each in a thread of its own. It reads no settings files;
 * `Session.fromProject` does. Its threads keep the process alive until `close()`.
 *
 * @example
 * await using session = new Session({ cwd: process.cwd(), model: { provider: "offline" } });
 * const { summary } = await session.spawn({ type: "Explore", prompt: "Where are routes defined?" });
 */
export class Session extends Supervisor implements AsyncDisposable {
  readonly #events: EventStream<SupervisorEvent>;
  /** For the first reader of events. */
  #notes: string[] = [];

  /** No model is asked before the first prompt or spawn. Throws if `cwd` is not a directory or an option cannot be used. */
  constructor(options: SessionOptions | ProjectSession) {
    const events = new EventStream<SupervisorEvent>();
    const flat = "project" in options ? options.project : flattenOptions(options);
    super({ ...flat, onEvent: (event) => events.publish(event) });
    this.#events = events;
  }

  /**
   * Opens a session with the settings, agents, skills, memory files and MCP servers of a project, as the command line does.
   * A directory's own settings count only if the user has trusted it, or `trust` is given. Notes, such as settings that
   * were left out, are the first `warning` events. Rejects with one sentence if they cannot be used.
   */
  static async fromProject(cwd: string, options: ProjectOptions = {}): Promise<Session> {
    const { readProject } = await import("./read-project.ts");
    const { project, notes } = await readProject(cwd, options);
    const session = new Session({ project });
    session.#notes = notes;
    return session;
  }

  /**
   * Starts one agent and resolves with its result, however it ends; `output` has the type of the request's schema. Rejects, and
   * starts none, as `prompt` does, and if an option or the agent type does not exist or cannot be obeyed, or what the
   * agent needs (a worktree, a budget) cannot be had. Aborting `signal` ends it as `cancelled`.
   */
  override spawn<S extends OutputSchema>(request: SpawnRequest<S>): AgentRun<OutputOf<S>> {
    let id: ActorId | null = null;
    const onStart = (started: ActorId) => {
      id = started;
      request.onStart?.(started);
    };
    const result = super.spawn({ ...request, onStart }).then((end) => withOutput<S>(end, request.output));
    return Object.assign(result, {
      events: () => this.#events.read((event) => id !== null && actorOf(event) === id, result),
    });
  }

  /**
   * Starts one agent per request, together as far as limits allow, and resolves with their results in the same order. A string
   * is a request with this prompt; `common` holds for all. If one cannot be started, the others are cancelled, and it rejects.
   * If they are likely to cost more than `confirmAboveUsd`, the user is asked first; a no starts none, and it rejects.
   */
  async fanout<S extends OutputSchema>(
    requests: readonly (string | SpawnRequest<S>)[],
    common: Omit<SpawnRequest<S>, "prompt"> = {},
  ): Promise<readonly TypedResult<OutputOf<S>>[]> {
    const all = requests.map(
      (request): SpawnRequest<S> => ({
        ...common,
        ...(typeof request === "string" ? { prompt: request } : request),
      }),
    );
    const { declined } = await this.approveFanOut(all, common.signal);
    if (declined !== null) throw new Error(declined);
    const failed = new AbortController();
    const signals = [failed.signal, ...(common.signal === undefined ? [] : [common.signal])];
    const runs = all.map((own) => {
      const signal = AbortSignal.any([...signals, ...(own.signal === undefined ? [] : [own.signal])]);
      return this.spawn<S>({ ...own, signal });
    });
    try {
      return await Promise.all(runs);
    } catch (error) {
      failed.abort();
      await Promise.allSettled(runs);
      throw error;
    }
  }

  /** What happens in the session from now on, until it is closed. A reader that is 1,000 events behind misses the oldest. */
  events(): AsyncIterableIterator<SupervisorEvent> {
    const reader = this.#events.read();
    for (const message of this.#notes.splice(0)) this.#events.publish({ type: "warning", message });
    return reader;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#events.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function withOutput<S extends OutputSchema>(
  result: AgentResult,
  schema: S | undefined,
): TypedResult<OutputOf<S>> {
  const { output } = result.summary;
  if (schema === undefined || output === undefined) return { ...result, output: null };
  // A JSON Schema has been checked in the agent's thread; of zod, that checked what JSON Schema can say.
  if (!isZod(schema)) return { ...result, output: output as OutputOf<S> };
  const parsed = z.safeParse(schema, output);
  return { ...result, output: parsed.success ? (parsed.data as OutputOf<S>) : null };
}
