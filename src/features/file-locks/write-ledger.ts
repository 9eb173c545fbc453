import { resolve } from "node:path";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import type { LastWriter } from "../../mailbox/messages.ts";
import { realOf } from "../../policy/engine/path-candidates.ts";

/** Who is about to write. */
export interface Writer {
  readonly actor: ActorId;
  readonly description: string;
}

interface Hold extends Writer {
  readonly paths: readonly string[];
}

interface Waiting {
  readonly paths: readonly string[];
  /** Called once all its paths are free. */
  take(): void;
}

/**
 * What agents write of the same checkout, so that none overwrites another's work unseen: one call at a time has
 * a path, and who wrote it last is remembered and told to the next one. Paths are real ones, so that two
 * names of a file are one. In memory only: the writes themselves are in the journal.
 */
export class WriteLedger {
  readonly #holds = new Map<CallId, Hold>();
  /** First come, first served. */
  readonly #waiting = new Set<Waiting>();
  readonly #writers = new Map<string, LastWriter>();

  /**
   * Waits until no other call has one of these paths, then has them until `release`. Answers who else wrote
   * them last; null when the signal was aborted, and then nothing is held.
   */
  async hold(
    call: CallId,
    writer: Writer,
    targets: readonly string[],
    signal: AbortSignal,
  ): Promise<LastWriter[] | null> {
    const paths = realPaths(targets);
    if (signal.aborted || !(await this.#turn(call, { ...writer, paths }, signal))) return null;
    return paths
      .flatMap((path) => this.#writers.get(path) ?? [])
      .filter(({ actor }) => actor !== writer.actor);
  }

  /** The call is over. Unknown calls, and those of another agent, hold nothing. */
  release(call: CallId, actor: ActorId, wrote: boolean): void {
    const hold = this.#holds.get(call);
    if (hold?.actor !== actor) return;
    this.#holds.delete(call);
    if (wrote) this.#wrote(hold);
    this.#admit();
  }

  /** The agent has ended. Of a call that was not over nobody knows whether it wrote, so it counts as if it had. */
  releaseAll(actor: ActorId): void {
    for (const [call, hold] of this.#holds) if (hold.actor === actor) this.release(call, actor, true);
  }

  #wrote({ paths, actor, description }: Hold): void {
    for (const path of paths) this.#writers.set(path, { path, actor, description });
  }

  /** Whether it came to its turn, and then has its paths. */
  #turn(call: CallId, hold: Hold, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting.delete(waiting);
        resolve(false);
        this.#admit();
      };
      const waiting: Waiting = {
        paths: hold.paths,
        take: () => {
          signal.removeEventListener("abort", leave);
          // At once: nobody else may come to its turn before the waiting call is told of its own.
          this.#holds.set(call, hold);
          resolve(true);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(waiting);
      this.#admit();
    });
  }

  #admit(): void {
    const taken = new Set([...this.#holds.values()].flatMap(({ paths }) => paths));
    for (const waiting of this.#waiting) {
      if (!waiting.paths.some((path) => taken.has(path))) {
        this.#waiting.delete(waiting);
        waiting.take();
      }
      for (const path of waiting.paths) taken.add(path);
    }
  }
}

function realPaths(targets: readonly string[]): string[] {
  return [...new Set(targets.map((target) => realOf(resolve(target))))];
}
