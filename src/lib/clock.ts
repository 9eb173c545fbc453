/** Time as an argument: monotonic for durations and deadlines, wall time only for display. */
export interface Clock {
  /** Returns milliseconds from an arbitrary start; never decreases. */
  now(): number;
  /** Returns wall time, ISO 8601. */
  date(): string;
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, call: () => void): () => void;
}

/** A timer with a longer delay fires immediately. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date().toISOString(),
  after(ms, call) {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      timer = setTimeout(
        () => (left > LONGEST_MS ? wait(left - LONGEST_MS) : call()),
        Math.min(left, LONGEST_MS),
      );
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves when what has been started so far has gone as far as it can without waiting. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves as soon as the signal is aborted. `over`: aborted if it is waited for no longer; then it never resolves. */
export function untilAborted(signal: AbortSignal, over?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, ...(over && { signal: over }) });
  });
}

/** Resolves after `ms`, or as soon as the signal is aborted: check the signal afterwards. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      withdraw();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const withdraw = clock.after(ms, end);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** Resolves with whether `work` settles within `ms`; it continues either way. */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const settled = new AbortController();
  const end = () => settled.abort();
  work.then(end, end);
  return pause(clock, ms, settled.signal).then(() => settled.signal.aborted);
}

/**
 * The work's result, or a rejection with the signal's reason as soon as it is aborted. The work itself goes
 * on where it cannot be stopped: use it only for what has no effect.
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
