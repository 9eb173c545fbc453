import type { ActorId } from "../mailbox/ids.ts";

/**
 * Who may run. First in, first out, and none is ever refused (C22); an agent that returns from
 * waiting stands ahead of those who never ran, otherwise nested agents starve their parents.
 */
export class Slots {
  readonly #max: number;
  readonly #returning: ActorId[] = [];
  readonly #new: ActorId[] = [];
  readonly #grant: (actor: ActorId) => void;
  #held = 0;

  /** `grant` is called once per granted slot, never within `join` or `rejoin` of the same actor. */
  constructor(max: number, grant: (actor: ActorId) => void) {
    this.#max = max;
    this.#grant = grant;
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#returning.length + this.#new.length;
  }

  join(actor: ActorId): void {
    this.#new.push(actor);
    this.#admit();
  }

  rejoin(actor: ActorId): void {
    this.#returning.push(actor);
    this.#admit();
  }

  leave(actor: ActorId): void {
    for (const line of [this.#returning, this.#new]) {
      const place = line.indexOf(actor);
      if (place >= 0) line.splice(place, 1);
    }
  }

  release(): void {
    this.#held -= 1;
    this.#admit();
  }

  #admit(): void {
    while (this.#held < this.#max) {
      const next = this.#returning.shift() ?? this.#new.shift();
      if (next === undefined) return;
      this.#held += 1;
      queueMicrotask(() => this.#grant(next));
    }
  }
}
