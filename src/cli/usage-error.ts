/** Wrong usage: the message is one sentence that names what is wrong and what to do. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Quotes a user's word inside a sentence: short, on one line, and visible even if it is empty. */
export function quoted(word: string): string {
  const line = word.replace(/\s+/g, " ");
  return `"${line.length > 60 ? `${line.slice(0, 59)}…` : line}"`;
}
