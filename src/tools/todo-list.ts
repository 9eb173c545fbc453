import type { Todo } from "../mailbox/messages.ts";

/** The todo list of an agent: replaced as a whole, and recorded with the turn that replaced it. */
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

  /** The list if it is in no turn record yet. */
  get fresh(): readonly Todo[] | undefined {
    return this.#isFresh ? this.#items : undefined;
  }

  /** Returns the list for the turn record; undefined if it has not been replaced since. */
  takeFresh(): Todo[] | undefined {
    if (!this.#isFresh) return undefined;
    this.#isFresh = false;
    return [...this.#items];
  }
}
