import type { EarlierMerge } from "./conflict-text.ts";

const INTENT_CHARS = 600;

/** The edits that came back in this session, in that order: whoever does not fit to them is told whose they are. */
export class MergeLog {
  readonly #merges: (EarlierMerge & { readonly checkout: string })[] = [];

  /** So many so far. */
  get count(): number {
    return this.#merges.length;
  }

  add(checkout: string, paths: readonly string[], { title, text }: { title: string; text: string }): void {
    this.#merges.push({ checkout, title, paths, intent: beginningOf(text) });
  }

  /** Into this checkout, but for the first ones of all. */
  into(checkout: string, since = 0): readonly EarlierMerge[] {
    return this.#merges.slice(since).filter((one) => one.checkout === checkout);
  }
}

/** Of a report: what it was about. */
export function beginningOf(text: string): string {
  const words = text.trim();
  return words.length <= INTENT_CHARS ? words : `${words.slice(0, INTENT_CHARS)}…`;
}
