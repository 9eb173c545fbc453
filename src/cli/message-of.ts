import { errorMessage } from "../lib/errors.ts";

/** What an error says, as one sentence. Errors of our own already are one. */
export function messageOf(error: unknown): string {
  const message = errorMessage(error);
  return message.trim() || "an error without a message";
}
