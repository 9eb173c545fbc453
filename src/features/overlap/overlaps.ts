import type { Clock } from "../../mailbox/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { OverlapRule } from "../isolation/worktree-settings.ts";
import { type LeaseEnd, Leases } from "./leases.ts";
import {
  agentLabel,
  deadlockText,
  OVER,
  overlapPhrase,
  refusedWords,
  waitingPhrase,
} from "./overlap-text.ts";
import { reaches } from "./reaches.ts";
import { fileKey, type RepoFile } from "./repo-file.ts";
import { Touches, type TouchesParts } from "./touches.ts";

export interface OverlapParts extends TouchesParts {
  readonly clock: Clock;
  mode(): OverlapRule;
  /**
   * Returns the actors whose end an actor currently waits for: foreground agents and, once it has answered,
   * background ones. They may write what it has written.
   */
  awaits(actor: ActorId): readonly ActorId[];
}

/** `taken`: another actor has it and there is no wait. */
type Lease = LeaseEnd | { readonly type: "taken"; readonly by: ActorId | null };

export type WriteClaim = { readonly type: "go" } | { readonly type: "refuse"; readonly reason: string };

/**
 * The overlap radar (D8): two running agents that write to the same file get a notice, or, if files are leased, the
 * second waits for the first or must do something else.
 */
export class Overlaps {
  readonly #parts: OverlapParts;
  readonly #leases: Leases;
  readonly #touches: Touches;
  /** Times an actor was released: its claims from before are over. */
  readonly #released = new Map<ActorId, number>();

  constructor(parts: OverlapParts) {
    this.#parts = parts;
    this.#leases = new Leases((actor) => parts.awaits(actor));
    this.#touches = new Touches(parts);
  }

  /**
   * Called before a write; claims all files or none. In mode `wait` it resolves once the actor has them, and rejects
   * with the signal's reason.
   */
  async claim(actor: ActorId, files: readonly RepoFile[], signal: AbortSignal): Promise<WriteClaim> {
    const mode = this.#parts.mode();
    if (mode === "tell" || mode === "off") return { type: "go" };
    const life = this.#released.get(actor);
    const taken: string[] = [];
    const wanted = new Map(files.map((file) => [fileKey(file), file]));
    let granted = false;
    try {
      for (const [key, { path }] of wanted) {
        const end = await this.#lease(actor, key, mode, signal);
        if (end.type === "held") taken.push(key);
        if (this.#released.get(actor) !== life) return { type: "refuse", reason: OVER };
        if (end.type !== "held") return { type: "refuse", reason: this.#why(end, path) };
        signal.throwIfAborted();
      }
      granted = true;
      return { type: "go" };
    } finally {
      // A release during the wait has returned them already.
      if (!granted && this.#released.get(actor) === life)
        for (const key of taken) this.#leases.giveBack(actor, key);
    }
  }

  /** Called after a write, with what a tool has written or a snapshot found changed. */
  wrote(actor: ActorId, files: readonly RepoFile[]): void {
    const mode = this.#parts.mode();
    if (mode === "off") return;
    if (mode !== "tell")
      for (const file of files)
        if (this.#leases.holder(fileKey(file)) === null) this.#leases.take(actor, fileKey(file));
    this.#touches.wrote(actor, files, (other) => this.#belongTogether(actor, other));
  }

  /** Called when it has ended, or its edits were merged. */
  released(actor: ActorId): void {
    this.#released.set(actor, (this.#released.get(actor) ?? 0) + 1);
    this.#leases.release(actor);
    this.#touches.released(actor);
  }

  /** Called when waits have changed: a file may be lent now, or a circle be closed. */
  reconsider(): void {
    this.#leases.reconsider();
  }

  /** Returns one short phrase for the live tree, or null. */
  words(actor: ActorId): string | null {
    const waits = this.#leases.waitsFor(actor);
    if (waits === null) return overlapPhrase(this.#touches.of(actor));
    const holder = waits.by && { other: waits.by, description: this.#parts.describe(waits.by) };
    return waitingPhrase(waits.file.slice(waits.file.indexOf("\0") + 1), holder);
  }

  async #lease(actor: ActorId, key: string, mode: "wait" | "refuse", signal: AbortSignal): Promise<Lease> {
    if (this.#leases.take(actor, key)) return { type: "held" };
    return mode === "wait" ? this.#wait(actor, key, signal) : { type: "taken", by: this.#leases.holder(key) };
  }

  async #wait(actor: ActorId, key: string, signal: AbortSignal): Promise<LeaseEnd> {
    signal.throwIfAborted();
    const ended = Promise.withResolvers<LeaseEnd>();
    const leave = this.#leases.wait(actor, key, ended.resolve);
    const onAbort = () => {
      // Immediately: it must not get the file between now and then.
      leave();
      ended.reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#parts.changed(actor);
    try {
      return await ended.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      leave();
      this.#parts.changed(actor);
    }
  }

  /** True if one waits for the other: they take turns at the file, so they do not overlap. */
  #belongTogether(one: ActorId, other: ActorId): boolean {
    const next = (actor: ActorId) => this.#parts.awaits(actor);
    return reaches(one, other, next) || reaches(other, one, next);
  }

  #why(end: Exclude<Lease, { type: "held" }>, path: string): string {
    switch (end.type) {
      case "over":
        return OVER;
      case "circle":
        return deadlockText(path, this.#who(end.by));
      case "taken":
        return refusedWords(path, this.#who(end.by));
      default:
        return end satisfies never;
    }
  }

  #who(actor: ActorId | null): string {
    return actor === null ? "another agent" : agentLabel(actor, this.#parts.describe(actor));
  }
}
