import type { EarlierMerge } from "./conflict-text.ts";

const INTENT_CHARS = 600;

/** The merges of this session in their order, to name the owner of edits that another agent's conflict with. */
export class MergeLog {
  readonly #merges: (EarlierMerge & { readonly checkout: string })[] = [];

  /** The merges so far. */
  get count(): number {
    return this.#merges.length;
  }

  add(checkout: string, paths: readonly string[], { title, text }: { title: string; text: string }): void {
    this.#merges.push({ checkout, title, paths, intent: beginningOf(text) });
  }

  /** Returns the merges into this checkout, without the first `since` of all. */
  into(checkout: string, since = 0): readonly EarlierMerge[] {
    return this.#merges.slice(since).filter((one) => one.checkout === checkout);
  }
}

/** Returns the start of a report: what it was about. */
export function beginningOf(text: string): string {
  const words = text.trim();
  return words.length <= INTENT_CHARS ? words : `${words.slice(0, INTENT_CHARS)}…`;
}
