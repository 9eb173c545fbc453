/** What a recognised command does with files. */
export interface Uses {
  /** Why it is more than its row allows; null where it is not. */
  readonly why: string | null;
  /** What it reads, as written and without quotes; filled as far as it was understood, for deny rules. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

export function refuse(why: string, reads: readonly string[] = [], writes: readonly string[] = []): Uses {
  return { why, reads, writes };
}
