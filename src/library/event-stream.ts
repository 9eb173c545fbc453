/** Values that wait for a slow reader; older ones are dropped. */
const MOST_WAITING = 1_000;

/** One reader's view of what is published: an async iterator that ends with its source, or when its reader leaves. */
class Reader<T> implements AsyncIterableIterator<T> {
  readonly #waiting: T[] = [];
  readonly #accepts: (value: T) => boolean;
  readonly #onReturn: () => void;
  #next: ((result: IteratorResult<T>) => void) | null = null;
  #isOver = false;

  constructor(accepts: (value: T) => boolean, onReturn: () => void) {
    this.#accepts = accepts;
    this.#onReturn = onReturn;
  }

  push(value: T): void {
    if (this.#isOver || !this.#accepts(value)) return;
    if (this.#next === null) {
      this.#waiting.push(value);
      if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
      return;
    }
    const next = this.#next;
    this.#next = null;
    next({ done: false, value });
  }

  end(): void {
    this.#isOver = true;
    this.#next?.({ done: true, value: undefined });
    this.#next = null;
  }

  next(): Promise<IteratorResult<T>> {
    const value = this.#waiting.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#next = resolve;
    });
  }

  return(): Promise<IteratorResult<T>> {
    this.#waiting.length = 0;
    this.end();
    this.#onReturn();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Publishes values to any number of readers. */
export class EventStream<T extends object> {
  readonly #readers = new Set<Reader<T>>();
  #isOver = false;

  publish(value: T): void {
    for (const reader of this.#readers) reader.push(value);
  }

  /** Returns what is published from now on until `end` settles; a reader that is 1,000 behind misses the oldest. */
  read(accepts: (value: T) => boolean = () => true, end?: Promise<unknown>): AsyncIterableIterator<T> {
    const reader: Reader<T> = new Reader(accepts, () => this.#readers.delete(reader));
    if (this.#isOver) reader.end();
    else this.#readers.add(reader);
    const over = () => {
      this.#readers.delete(reader);
      reader.end();
    };
    end?.then(over, over);
    return reader;
  }

  end(): void {
    this.#isOver = true;
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }
}
