import { hash } from "node:crypto";

/** Returns a short digest, to recognize a text. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}
