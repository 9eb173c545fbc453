/**
 * Finished worktrees, one at a time for each checkout, in order (issue 6). One that cannot be merged makes way for
 * the next; the git worker's own lock keeps other processes out.
 */
export class MergeQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Rejects with the signal's reason if it is aborted before the work's turn. The work calls `leave` when it is done with the
   * checkout and still has to tidy up.
   */
  async enter<T>(checkout: string, signal: AbortSignal, work: (leave: () => void) => Promise<T>): Promise<T> {
    const before = this.#last.get(checkout) ?? Promise.resolve();
    const mine = Promise.withResolvers<void>();
    const place = before.then(() => mine.promise);
    this.#last.set(checkout, place);
    try {
      await before;
      signal.throwIfAborted();
      return await work(mine.resolve);
    } finally {
      mine.resolve();
      if (this.#last.get(checkout) === place) this.#last.delete(checkout);
    }
  }
}
