import type { ActorId } from "../../mailbox/ids.ts";
import { reaches } from "./reaches.ts";

/** `circle`: it would wait for an actor that waits for it; `over`: it has ended. */
export type LeaseEnd =
  | { readonly type: "held" }
  | { readonly type: "circle"; readonly by: ActorId | null }
  | { readonly type: "over" };

interface Hold {
  readonly actor: ActorId;
  /** Claims that rely on it; without any it is returned. */
  claims: number;
}

interface Waiter {
  readonly actor: ActorId;
  readonly file: string;
  readonly end: (end: LeaseEnd) => void;
}

/**
 * Which actor may write which file: only the last of the file's chain. Those before it in the chain wait for it to
 * end and have lent it the file. All others wait in order of arrival.
 */
export class Leases {
  readonly #awaits: (actor: ActorId) => readonly ActorId[];
  readonly #chains = new Map<string, Hold[]>();
  #line: Waiter[] = [];

  /** `awaits`: the actors whose end an actor currently waits for. */
  constructor(awaits: (actor: ActorId) => readonly ActorId[]) {
    this.#awaits = awaits;
  }

  holder(file: string): ActorId | null {
    return this.#chains.get(file)?.at(-1)?.actor ?? null;
  }

  /** Returns whether the actor has it now; if not, nothing has changed. */
  take(actor: ActorId, file: string): boolean {
    if (this.#blocking(actor, file).length > 0 || this.#ahead(actor, file, this.#line).length > 0)
      return false;
    this.#hold(actor, file);
    return true;
  }

  /** Calls `end` once: as soon as the actor has the file, or cannot get it. The returned function leaves the line. */
  wait(actor: ActorId, file: string, end: (end: LeaseEnd) => void): () => void {
    const waiter = { actor, file, end };
    this.#line.push(waiter);
    this.reconsider();
    return () => {
      this.#line = this.#line.filter((other) => other !== waiter);
      this.reconsider();
    };
  }

  /** Withdraws an unused claim. What other claims of the actor rely on stays its own. */
  giveBack(actor: ActorId, file: string): void {
    const chain = this.#chains.get(file) ?? [];
    const hold = chain.find((one) => one.actor === actor);
    if (hold === undefined) return;
    hold.claims -= 1;
    if (hold.claims === 0) this.#drop(actor, file);
    this.reconsider();
  }

  release(actor: ActorId): void {
    for (const file of [...this.#chains.keys()]) this.#drop(actor, file);
    const mine = this.#line.filter((waiter) => waiter.actor === actor);
    this.#line = this.#line.filter((waiter) => waiter.actor !== actor);
    for (const { end } of mine) end({ type: "over" });
    this.reconsider();
  }

  /** Returns the first file for which an actor waits, and its holder. */
  waitsFor(actor: ActorId): { readonly file: string; readonly by: ActorId | null } | null {
    const waiter = this.#line.find((one) => one.actor === actor);
    return waiter === undefined ? null : { file: waiter.file, by: this.holder(waiter.file) };
  }

  /** Called when waits may have changed: grants files to the next in line and breaks circles. */
  reconsider(): void {
    for (;;) {
      const next = this.#line.find(({ actor, file }) => this.#blocking(actor, file).length === 0);
      if (next !== undefined) {
        this.#hold(next.actor, next.file);
        this.#leave(next, { type: "held" });
        continue;
      }
      // The last one to arrive has to do something else.
      const closing = this.#line.findLast((waiter) => this.#closesCircle(waiter));
      if (closing === undefined) return;
      this.#leave(closing, { type: "circle", by: this.holder(closing.file) });
    }
  }

  #closesCircle(waiter: Waiter): boolean {
    const next = (actor: ActorId) => this.#waitedFor(actor);
    return this.#before(waiter).some((other) => reaches(other, waiter.actor, next));
  }

  #leave(waiter: Waiter, end: LeaseEnd): void {
    this.#line = this.#line.filter((other) => other !== waiter);
    waiter.end(end);
  }

  #hold(actor: ActorId, file: string): void {
    const chain = this.#chains.get(file) ?? [];
    const hold = chain.find((one) => one.actor === actor);
    if (hold === undefined) chain.push({ actor, claims: 1 });
    else hold.claims += 1;
    this.#chains.set(file, chain);
  }

  #drop(actor: ActorId, file: string): void {
    const rest = (this.#chains.get(file) ?? []).filter((hold) => hold.actor !== actor);
    if (rest.length === 0) this.#chains.delete(file);
    else this.#chains.set(file, rest);
  }

  /** Returns those of the chain that must end before the actor may write. */
  #blocking(actor: ActorId, file: string): readonly ActorId[] {
    const chain = (this.#chains.get(file) ?? []).map((hold) => hold.actor);
    const lender = chain.findLastIndex((holder) => holder === actor || this.#isAwaited(actor, holder));
    return chain.slice(lender + 1);
  }

  /** Returns those of the line that get the file before the actor: none if the holder waits for it. */
  #ahead(actor: ActorId, file: string, line: readonly Waiter[]): readonly ActorId[] {
    const lends = (one: ActorId) =>
      (this.#chains.get(file) ?? []).some(
        ({ actor: holder }) => holder === one || this.#isAwaited(one, holder),
      );
    const lent = lends(actor);
    return line
      .filter((other) => other.file === file && other.actor !== actor && (!lent || lends(other.actor)))
      .map((other) => other.actor);
  }

  #isAwaited(actor: ActorId, by: ActorId): boolean {
    return reaches(by, actor, this.#awaits);
  }

  *#waitedFor(actor: ActorId): Iterable<ActorId> {
    yield* this.#awaits(actor);
    for (const waiter of this.#line) if (waiter.actor === actor) yield* this.#before(waiter);
  }

  #before(waiter: Waiter): readonly ActorId[] {
    const { actor, file } = waiter;
    const ahead = this.#line.slice(0, this.#line.indexOf(waiter));
    return [...this.#blocking(actor, file), ...this.#ahead(actor, file, ahead)];
  }
}
