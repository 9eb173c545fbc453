import { resolve } from "node:path";
import type { LastWriter } from "../../mailbox/calls.ts";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import { realOf } from "../../policy/engine/path-candidates.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { notRun } from "../../tools/dispatch.ts";

/**
 * Serializes calls that write the same file; the later one learns of the earlier. Joints: `prepareCall` (waits for
 * its turn), `afterCall`, `onEvent` (the actor has ended).
 */
export function fileLocks(ledger = new WriteLedger()): Joints {
  return {
    async prepareCall({ actor, id, accesses, signal }) {
      const targets = accesses.flatMap(({ kind, target }) => (kind === "write" ? [target] : []));
      if (targets.length === 0) return {};
      const writer = { actor: actor.id, description: actor.spec.description };
      const lastWriters = await ledger.hold(id, writer, targets, signal);
      return lastWriters === null ? { refusal: String(notRun.content) } : { lastWriters };
    },
    afterCall({ actor, id, isError }) {
      // A failed call may have written, too.
      ledger.release(id, actor.id, !isError);
      return {};
    },
    onEvent(event) {
      if (event.type === "released") ledger.releaseAll(event.id);
    },
  };
}

/** The call that is about to write. */
interface Writer {
  readonly actor: ActorId;
  readonly description: string;
}

interface Hold extends Writer {
  readonly paths: readonly string[];
}

interface Waiting {
  readonly paths: readonly string[];
  /** Called when all its paths are free. */
  take(): void;
}

/**
 * Which agents write which files of a checkout, so that none overwrites another's work unseen: one call at a time
 * holds a path, and the next one learns who wrote it last. Paths are real ones, so that two names of a file are one.
 * In memory only: the writes themselves are in the journal.
 */
export class WriteLedger {
  readonly #holds = new Map<CallId, Hold>();
  /** First come, first served. */
  readonly #waiting = new Set<Waiting>();
  readonly #writers = new Map<string, LastWriter>();

  /**
   * Waits until no other call holds one of these paths, then holds them until `release`. Resolves with the other
   * agents that wrote them last, or null if the signal was aborted, in which case nothing is held.
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

  /** Ends a call. Unknown calls, and those of another agent, hold nothing. */
  release(call: CallId, actor: ActorId, wrote: boolean): void {
    const hold = this.#holds.get(call);
    if (hold?.actor !== actor) return;
    this.#holds.delete(call);
    if (wrote) this.#wrote(hold);
    this.#admit();
  }

  /** Ends an agent. An unfinished call counts as having written, as it may have. */
  releaseAll(actor: ActorId): void {
    for (const [call, hold] of this.#holds) if (hold.actor === actor) this.release(call, actor, true);
  }

  #wrote({ paths, actor, description }: Hold): void {
    for (const path of paths) this.#writers.set(path, { path, actor, description });
  }

  /** Resolves with whether its turn came; it then holds its paths. */
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
          // Immediately, before another call can take its turn.
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
