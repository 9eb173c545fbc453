import { hash } from "node:crypto";

/** By which a text is known again. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}
