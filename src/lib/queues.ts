import { untilAborted } from "./clock.ts";

/** By key: what the next caller waits for. */
export type Queues = Map<string, Promise<void>>;

/**
 * Runs `work` when all earlier callers with the same key have ended, however; if there is no such caller, immediately. Rejects with the
 * signal's reason if it is aborted before. The work may call `leave` to make way for the next before it ends.
 */
export async function inTurn<T>(
  turns: Queues,
  key: string,
  work: (leave: () => void) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const before = turns.get(key);
  const mine = Promise.withResolvers<void>();
  turns.set(key, mine.promise);
  void mine.promise.then(() => {
    if (turns.get(key) === mine.promise) turns.delete(key);
  });
  // One that is aborted early gives its turn on: those after it still wait for those before it.
  const leave = () => mine.resolve(before);
  try {
    if (before !== undefined) await (signal ? Promise.race([before, untilAborted(signal)]) : before);
    signal?.throwIfAborted();
    return await work(leave);
  } finally {
    leave();
  }
}

/**
 * Returns a function that runs at most a number of pieces of work at the same time; more wait in the order of their calls. It
 * rejects with the signal's reason if it is aborted before the work begins.
 */
export function limitConcurrency(
  most: number,
): <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work, signal) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      // It takes this place.
      else next();
    }
  };
}

/** Returns a function that runs one action after the other: the next starts when the one before has ended, however. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  const turns: Queues = new Map();
  return (work) => inTurn(turns, "", work);
}
