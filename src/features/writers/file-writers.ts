import { resolve as absolute } from "node:path";
import type { LastWriter } from "../../mailbox/calls.ts";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import { realOf } from "../../policy/engine/path-candidates.ts";
import { fileKey, type RepoFile, type WantedFile } from "./held-worktrees.ts";
import { agentLabel, deadlockText, OVER, overlapPhrase, refusedText, waitingPhrase } from "./overlap-text.ts";
import { Overlaps, type OverlapsParts } from "./overlaps.ts";

/** What happens if two running agents write to the same file: both get a notice, the second waits or is refused, or nothing. */
export type OverlapRule = "tell" | "wait" | "refuse" | "off";

/** The call that is about to write. */
export interface Writer {
  readonly actor: ActorId;
  readonly description: string;
  readonly call: CallId;
}

/** `lastWriters`: the other agents that wrote these files last. */
export type WriteClaim =
  | { readonly type: "go"; readonly lastWriters: LastWriter[] }
  | { readonly type: "refuse"; readonly reason: string };

interface Claim extends Writer {
  /** By keys: two names of a file are one. */
  readonly files: ReadonlyMap<string, { readonly path: string; readonly real: string }>;
  end(outcome: WriteClaim | null): void;
}

export interface FileWritersParts extends OverlapsParts {
  readonly rule: OverlapRule;
  /**
   * Returns the actors whose end an actor currently waits for: foreground agents and, once it has answered,
   * background ones. They may write what it has written.
   */
  awaits(actor: ActorId): readonly ActorId[];
}

/**
 * Who writes which file, and who has written it. One call at a time writes a file, in order of arrival, and learns who
 * wrote it last (A22.9). If two running agents write to the same file, both get a notice (D8). If files are leased, only
 * the last of a file's owners may write it: those before it wait for its end and have lent it the file. Kept in memory
 * only: the writes themselves are in the journal.
 */
export class FileWriters {
  readonly #parts: FileWritersParts;
  readonly #isLeased: boolean;
  readonly #overlaps: Overlaps;
  /** Calls that write now. */
  #writing: readonly Claim[] = [];
  /** Calls that wait for their files. */
  #line: readonly Claim[] = [];
  /** Running agents by the files that are leased to them. */
  readonly #owners = new Map<string, readonly ActorId[]>();
  /** Running agents by the files that they have written. */
  readonly #writers = new Map<string, Set<ActorId>>();
  readonly #last = new Map<string, LastWriter>();

  constructor(parts: FileWritersParts) {
    this.#parts = parts;
    this.#isLeased = parts.rule === "wait" || parts.rule === "refuse";
    this.#overlaps = new Overlaps(parts);
  }

  /** Claims all files or none: resolves when the call may write them, or with null if the signal was aborted. */
  claim(writer: Writer, files: readonly WantedFile[], signal: AbortSignal): Promise<WriteClaim | null> {
    if (signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      let isShown = false;
      const leave = () => {
        claim.end(null);
        this.reconsider();
      };
      const claim: Claim = {
        ...writer,
        files: new Map(
          files.map((wanted) => {
            const real = realOf(absolute(wanted.file));
            return [this.#isLeased ? fileKey(wanted) : real, { path: wanted.path, real }];
          }),
        ),
        end: (outcome) => {
          signal.removeEventListener("abort", leave);
          this.#line = this.#line.filter((other) => other !== claim);
          resolve(outcome);
          if (isShown) this.#parts.changed(writer.actor);
        },
      };
      if (this.#parts.rule === "refuse" && this.#blocking(claim).length > 0)
        return claim.end(this.#refused(claim, refusedText));
      signal.addEventListener("abort", leave, { once: true });
      this.#line = [...this.#line, claim];
      this.reconsider();
      isShown = this.#isLeased && this.#line.includes(claim);
      if (isShown) this.#parts.changed(writer.actor);
    });
  }

  /** Ends a call; one of another actor ends nothing. */
  release(call: CallId, actor: ActorId, wrote: boolean): void {
    const claim = this.#writing.find((one) => one.call === call && one.actor === actor);
    if (claim === undefined) return;
    this.#writing = this.#writing.filter((one) => one !== claim);
    const { description } = claim;
    if (wrote)
      for (const { real: path } of claim.files.values()) this.#last.set(path, { path, actor, description });
    this.reconsider();
  }

  /** Called with what a tool has written, or a snapshot found changed. */
  wrote(actor: ActorId, files: readonly RepoFile[]): void {
    if (this.#parts.rule === "off") return;
    this.#overlaps.found(
      actor,
      files.flatMap((file) => {
        const key = fileKey(file);
        if (this.#isLeased && !this.#owners.has(key)) this.#owners.set(key, [actor]);
        const writers = this.#writers.get(key) ?? new Set();
        this.#writers.set(key, writers.add(actor));
        return [...writers].flatMap((other) =>
          other === actor || this.#takeTurns(actor, other) ? [] : { other, path: file.path, key },
        );
      }),
    );
  }

  /** Called when an actor has ended, or its edits were merged. A call that has not ended may have written. */
  ended(actor: ActorId): void {
    const waiting = this.#line.filter((one) => one.actor === actor);
    this.#line = this.#line.filter((one) => one.actor !== actor);
    for (const claim of waiting) claim.end({ type: "refuse", reason: OVER });
    for (const { call } of this.#writing.filter((one) => one.actor === actor))
      this.release(call, actor, true);
    for (const [key, owners] of this.#owners) {
      const rest = owners.filter((one) => one !== actor);
      if (rest.length === 0) this.#owners.delete(key);
      else if (rest.length < owners.length) this.#owners.set(key, rest);
    }
    for (const [key, writers] of this.#writers)
      if (writers.delete(actor) && writers.size === 0) this.#writers.delete(key);
    this.#overlaps.ended(actor);
    this.reconsider();
  }

  /** Called when waits may have changed: lets the next of the line write, and breaks circles. */
  reconsider(): void {
    for (;;) {
      const next = this.#line.find((claim) => this.#isNext(claim));
      if (next !== undefined) {
        this.#start(next);
        continue;
      }
      // The last one to arrive has to do something else.
      const closing = this.#isLeased && this.#line.findLast((claim) => this.#closesCircle(claim));
      if (!closing) return;
      closing.end(this.#refused(closing, deadlockText));
    }
  }

  /** Returns one short phrase for the live tree, or null. */
  phrase(actor: ActorId): string | null {
    const waits = this.#isLeased ? this.#line.find((claim) => claim.actor === actor) : undefined;
    if (waits === undefined) return overlapPhrase(this.#overlaps.of(actor));
    const { path, owner } = this.#wanted(waits);
    return waitingPhrase(path, owner && { other: owner, description: this.#parts.describe(owner) });
  }

  #start(claim: Claim): void {
    const { actor, files } = claim;
    const lastWriters = [...files.values()].flatMap(({ real }) => this.#last.get(real) ?? []);
    this.#writing = [...this.#writing, claim];
    if (this.#isLeased)
      for (const key of files.keys()) {
        const owners = this.#owners.get(key) ?? [];
        if (!owners.includes(actor)) this.#owners.set(key, [...owners, actor]);
      }
    claim.end({ type: "go", lastWriters: lastWriters.filter((one) => one.actor !== actor) });
  }

  #isNext(claim: Claim): boolean {
    return !this.#writing.some((other) => shareFile(other, claim)) && this.#before(claim).length === 0;
  }

  /** Returns the agents that get a file before this claim, and end before it may write. */
  #before(claim: Claim): readonly ActorId[] {
    return [...this.#blocking(claim), ...this.#ahead(claim)];
  }

  /** Returns the owners of its files that have not lent them to its actor. */
  #blocking({ actor, files }: Claim): readonly ActorId[] {
    return [...files.keys()].flatMap((key) => this.#unlent(actor, key));
  }

  #unlent(actor: ActorId, key: string): readonly ActorId[] {
    const owners = this.#owners.get(key) ?? [];
    return owners.slice(owners.findLastIndex((owner) => this.#lends(owner, actor)) + 1);
  }

  /** Returns the agents of the line that get a file first. One that is lent waits only for others to which it is lent. */
  #ahead(claim: Claim): readonly ActorId[] {
    const earlier = this.#line.slice(0, this.#line.indexOf(claim));
    return [...claim.files.keys()].flatMap((key) => {
      const isLent = ({ actor }: Claim) =>
        (this.#owners.get(key) ?? []).some((owner) => this.#lends(owner, actor));
      const lent = isLent(claim);
      return earlier
        .filter((other) => other.actor !== claim.actor && other.files.has(key) && (!lent || isLent(other)))
        .map(({ actor }) => actor);
    });
  }

  #lends(owner: ActorId, actor: ActorId): boolean {
    return owner === actor || this.#waitsFor(owner, actor);
  }

  /** True if an actor waits for the end of another one, directly or not. */
  #waitsFor(actor: ActorId, other: ActorId): boolean {
    return reaches(actor, other, (one) => this.#parts.awaits(one));
  }

  /** True if one waits for the other: they take turns at a file, so they do not overlap. */
  #takeTurns(one: ActorId, other: ActorId): boolean {
    return this.#waitsFor(one, other) || this.#waitsFor(other, one);
  }

  #closesCircle(claim: Claim): boolean {
    return this.#before(claim).some((other) =>
      reaches(other, claim.actor, (actor) => this.#allBefore(actor)),
    );
  }

  *#allBefore(actor: ActorId): Iterable<ActorId> {
    yield* this.#parts.awaits(actor);
    for (const claim of this.#line) if (claim.actor === actor) yield* this.#before(claim);
  }

  /** Returns the first file that an owner keeps from a claim, and the last of its owners. */
  #wanted({ actor, files }: Claim): { readonly path: string; readonly owner: ActorId | null } {
    const all = [...files];
    const [key = "", file] = all.find(([one]) => this.#unlent(actor, one).length > 0) ?? all[0] ?? [];
    return { path: file?.path ?? "", owner: this.#owners.get(key)?.at(-1) ?? null };
  }

  #refused(claim: Claim, text: (path: string, owner: string) => string): WriteClaim {
    const { path, owner } = this.#wanted(claim);
    const name = owner === null ? "another agent" : agentLabel(owner, this.#parts.describe(owner));
    return { type: "refuse", reason: text(path, name) };
  }
}

function shareFile(one: Claim, other: Claim): boolean {
  return [...one.files.keys()].some((key) => other.files.has(key));
}

/** True if a path of one or more steps leads from one actor to another. */
function reaches(from: ActorId, to: ActorId, next: (actor: ActorId) => Iterable<ActorId>): boolean {
  const seen = new Set<ActorId>();
  const open = [...next(from)];
  for (let actor = open.pop(); actor !== undefined; actor = open.pop()) {
    if (actor === to) return true;
    if (seen.has(actor)) continue;
    seen.add(actor);
    open.push(...next(actor));
  }
  return false;
}
