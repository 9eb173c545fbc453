/** A small seeded generator (mulberry32), so that what failed can be played again. */
export interface Seeded {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number of both ends and all between. */
  between(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
}

export function seededBy(seed: number): Seeded {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick<T>(from: readonly T[]): T {
      const picked = from[Math.floor(next() * from.length)];
      if (picked === undefined) throw new Error("there is nothing to pick from");
      return picked;
    },
  };
}
