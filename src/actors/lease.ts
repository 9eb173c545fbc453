import type { Clock } from "../lib/clock.ts";
import { given } from "../lib/json.ts";
import type { CallId } from "../mailbox/ids.ts";
import type { CallOptions } from "../mailbox/rpc/caller.ts";
import type { Result } from "../mailbox/rpc/frames.ts";
import type { Services } from "../mailbox/services.ts";
import type { SealedTool } from "../tools/bind-tool.ts";
import type { AgentCallContext } from "../tools/tool.ts";
import type { CheckData } from "./ending.ts";
import { type Exit, UNKNOWN_VITALS, type Vitals } from "./hosts.ts";
import type { ThreadCall, ThreadResult } from "./thread-calls.ts";
import type { ThreadPool, ToolThread } from "./tool-threads.ts";

export interface LeaseOptions {
  readonly pool: ThreadPool;
  readonly services: Pick<Services, "run">;
  readonly clock: Clock;
  /** Aborted when its actor must stop: a call that still waits for a thread gets none. */
  readonly signal: AbortSignal;
  /**
   * Its actor keeps the thread until it ends, and nothing else uses it: a library user's code has its state there, and may
   * have left something.
   */
  readonly isOwn: boolean;
  /** The thread has ended with a call of the actor in it. */
  onLost(exit: Exit): void;
}

type Context = Pick<AgentCallContext, "hidden" | "actor">;

/** The thread of one actor: taken from the pool with a call, and given back when none of its calls runs. */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #running = new Map<CallId | symbol, Context | null>();
  readonly #over = new AbortController();
  #taking: Promise<ToolThread | null> | null = null;
  #thread: ToolThread | null = null;
  #look: () => Vitals = () => UNKNOWN_VITALS;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Returns the tool with its calls running in this thread. */
  tool(
    tool: Pick<SealedTool<AgentCallContext>, "prepare">,
    of: Pick<ThreadCall, "tool" | "module"> & { readonly writes: boolean },
  ): Pick<SealedTool<AgentCallContext>, "prepare"> {
    const { writes, ...names } = of;
    return {
      prepare: (input) => {
        const ready = tool.prepare(input);
        if (ready.type === "invalid") return ready;
        return {
          ...ready,
          call: async (context) => {
            const { call, actor, cwd, root, additionalDirs, lastWriters, resultChars, fileRules } = context;
            const { end, reads } = await this.#run(
              {
                ...{ ...names, input, reads: writes ? context.reads.all : [] },
                context: {
                  ...{ call, actor, cwd, root, additionalDirs, lastWriters },
                  ...given({ resultChars, fileRules }),
                },
              },
              context,
            );
            for (const entry of reads) context.reads.record(entry);
            return end;
          },
        };
      },
    };
  }

  /** Its thread as seen from outside. */
  vitals(): Vitals {
    return this.#look();
  }

  /** Its actor has ended: what still runs in the thread is ended with it. */
  end(): void {
    this.#over.abort();
    if (this.#thread) this.#options.pool.give(this.#thread, true);
    this.#thread = null;
  }

  readonly check: CheckData = (schema, value) =>
    this.#use(Symbol("check"), null, this.#options.signal, ({ requests }, options) =>
      requests.call("check", { schema, value }, options),
    );

  #run(call: ThreadCall, context: AgentCallContext): Promise<ThreadResult> {
    return this.#use(call.context.call, context, context.signal, ({ requests }, options) =>
      requests.call("call", call, options),
    );
  }

  /** Throws if there is no result, with a message for the model. */
  async #use<T>(
    id: CallId | symbol,
    context: Context | null,
    signal: AbortSignal,
    request: (thread: ToolThread, options: CallOptions) => Promise<Result<T>>,
  ): Promise<T> {
    this.#running.set(id, context);
    try {
      const thread = await this.#hold();
      if (thread === null) throw new Error("The agent was stopped before a thread was free.");
      const result = await request(thread, { signal, waitsForCancel: true });
      if (result.ok) return result.value;
      if (result.kind === "gone") this.#options.onLost(await thread.ended);
      throw new Error(result.message);
    } finally {
      this.#running.delete(id);
      if (this.#running.size === 0 && !this.#options.isOwn) this.#release();
    }
  }

  #hold(): Promise<ToolThread | null> {
    this.#taking ??= this.#take();
    return this.#taking;
  }

  async #take(): Promise<ToolThread | null> {
    const { pool, services, signal, clock } = this.#options;
    const thread = await pool.take(AbortSignal.any([signal, this.#over.signal]));
    if (thread === null) return null;
    if (this.#over.signal.aborted) {
      pool.give(thread);
      return null;
    }
    this.#thread = thread;
    this.#look = threadVitals(thread, clock);
    thread.serve({
      run: (request) => services.run({ ...request, owner: this.#contextOf().actor }),
      hidden: async ({ call, paths }) => [...(await this.#contextOf(call).hidden(paths))],
    });
    return thread;
  }

  /** Only a call that runs may ask for something. */
  #contextOf(call?: CallId): Context {
    const running = [...this.#running.values()].find((context) => context !== null);
    const context = call === undefined ? running : this.#running.get(call);
    if (!context) throw new Error("No such call runs in this thread.");
    return context;
  }

  #release(): void {
    const thread = this.#thread;
    this.#taking = null;
    this.#thread = null;
    this.#look = () => UNKNOWN_VITALS;
    if (thread) this.#options.pool.give(thread);
  }
}

/**
 * Watches one thread from outside. A loop that was idle since the last check has run, which needs no message. One
 * that was not may spin, or be busy and run all the same (both read 1.0): only then a pulse is requested, which its
 * loop answers, not the tool's code. At most one pulse is in flight.
 */
export function threadVitals(
  { worker, requests }: Pick<ToolThread, "worker" | "requests">,
  clock: Pick<Clock, "now">,
): () => Vitals {
  let { idle, active } = worker.performance.eventLoopUtilization();
  const boardedAt = clock.now();
  let turnedAt = boardedAt;
  let utilization = 0;
  let asked = false;
  return () => {
    const now = clock.now();
    const loop = worker.performance.eventLoopUtilization();
    const [rested, worked] = [loop.idle - idle, loop.active - active];
    ({ idle, active } = loop);
    // Two checks at the same moment have nothing between them.
    if (rested + worked > 0) utilization = Math.min(1, Math.max(0, worked / (rested + worked)));
    if (rested > 0) turnedAt = now;
    else if (!asked) {
      asked = true;
      void requests.call("pulse", null).then(({ ok }) => {
        asked = false;
        if (ok) turnedAt = clock.now();
      });
    }
    return { type: "thread", utilization, blockedMs: now - turnedAt, boardedMs: now - boardedAt };
  };
}
