/**
 * Shares looks at something that changes: one look is for all who asked before it began. There is one at a time for each
 * key, and those who ask while it runs share the next one.
 */
export class SharedLooks<T> {
  readonly #next = new Map<string, Promise<T>>();
  /** Never rejects. */
  readonly #running = new Map<string, Promise<void>>();

  ask(key: string, look: () => Promise<T>): Promise<T> {
    const next = this.#next.get(key);
    if (next !== undefined) return next;
    const running = this.#running.get(key);
    if (running === undefined) return this.#begin(key, look);
    const mine = running.then(() => this.#begin(key, look));
    this.#next.set(key, mine);
    return mine;
  }

  #begin(key: string, look: () => Promise<T>): Promise<T> {
    this.#next.delete(key);
    const found = look();
    const ended = () => {
      this.#running.delete(key);
    };
    this.#running.set(key, found.then(ended, ended));
    return found;
  }
}
