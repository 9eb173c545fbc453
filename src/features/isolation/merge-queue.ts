/**
 * Finished trees, one at a time for each checkout, first come first served (issue 6). Whoever cannot be merged makes
 * room for the next; other processes are kept out by the keeper's own lock.
 */
export class MergeQueue {
  readonly #last = new Map<string, Promise<void>>();

  /** Rejects with the signal's reason where it is aborted before its turn came. */
  async enter<T>(checkout: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(checkout) ?? Promise.resolve();
    const mine = Promise.withResolvers<void>();
    const place = before.then(() => mine.promise);
    this.#last.set(checkout, place);
    try {
      await before;
      signal.throwIfAborted();
      return await work();
    } finally {
      mine.resolve();
      if (this.#last.get(checkout) === place) this.#last.delete(checkout);
    }
  }
}
