/** Time as an argument: monotonic for durations and deadlines, wall time only for what a person reads. */
export interface Clock {
  /** Milliseconds from an arbitrary start; never goes back. */
  now(): number;
  /** Wall time, ISO 8601. */
  date(): string;
  /** Calls back once after `ms`; the returned function withdraws it. */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date().toISOString(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
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
