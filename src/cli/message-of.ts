/** What an error says, as one sentence. Errors of our own already are one. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim() || "an error without a message";
}
