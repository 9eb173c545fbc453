/** Wrong usage: the message is one sentence that names the thing and what to do. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
