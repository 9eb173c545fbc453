interface Timed {
  readonly path: string;
  /** Milliseconds; the later, the newer. */
  readonly time: number;
}

/** Keeps the newest of any number of files, in memory that does not grow with the number. */
export class Newest {
  #kept: Timed[] = [];
  /** The last that is kept; what comes after it need not be. */
  #worst: Timed | null = null;
  #count = 0;
  readonly #limit: number;
  readonly #seen: Set<string> | null;

  /** `mayRepeat`: a path can come twice and counts once; then memory does grow, with what was found. */
  constructor(limit: number, mayRepeat = false) {
    this.#limit = limit;
    this.#seen = mayRepeat ? new Set() : null;
  }

  /** How many there were. */
  get count(): number {
    return this.#count;
  }

  add(path: string, time: number): void {
    if (this.#seen?.has(path)) return;
    this.#seen?.add(path);
    this.#count += 1;
    const worst = this.#worst;
    if (worst !== null && (time < worst.time || (time === worst.time && path > worst.path))) return;
    this.#kept.push({ path, time });
    // Sorted seldom: twice the limit is let in before the half that is too old goes.
    if (this.#kept.length >= 2 * this.#limit) this.#cut();
  }

  /** Newest first; of the same time, by name. */
  paths(): string[] {
    this.#cut();
    return this.#kept.map(({ path }) => path);
  }

  #cut(): void {
    this.#kept.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
    this.#kept.length = Math.min(this.#kept.length, this.#limit);
    if (this.#kept.length === this.#limit) this.#worst = this.#kept.at(-1) ?? null;
  }
}
