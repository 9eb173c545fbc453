import type { Todo } from "../mailbox/messages.ts";

/** What an agent means to do: replaced as a whole, and recorded with the turn that replaced it. */
export class TodoList {
  #items: readonly Todo[];
  #isFresh = false;

  constructor(items: readonly Todo[]) {
    this.#items = items;
  }

  get items(): readonly Todo[] {
    return this.#items;
  }

  replace(items: readonly Todo[]): void {
    this.#items = items;
    this.#isFresh = true;
  }

  /** The list where no turn record has it yet. */
  get fresh(): readonly Todo[] | undefined {
    return this.#isFresh ? this.#items : undefined;
  }

  /** The list for the turn's record; undefined where it was not replaced since. */
  takeFresh(): Todo[] | undefined {
    if (!this.#isFresh) return undefined;
    this.#isFresh = false;
    return [...this.#items];
  }
}
