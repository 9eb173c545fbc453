/** Time as an argument: monotonic for durations and deadlines, wall time only for what a person reads. */
export interface Clock {
  /** Milliseconds from an arbitrary start; never goes back. */
  now(): number;
  /** Wall time, ISO 8601. */
  date(): string;
  /** Calls back once after `ms`; the returned function withdraws it. */
  after(ms: number, call: () => void): () => void;
}

/** A timer that is set for longer goes off at once. */
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

/** Resolves after `ms`, or as soon as the signal is aborted: look at the signal afterwards. */
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

/** Whether `work` has settled within `ms`; it goes on either way. */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const settled = new AbortController();
  const end = () => settled.abort();
  work.then(end, end);
  return pause(clock, ms, settled.signal).then(() => settled.signal.aborted);
}
