import { shorten } from "../lib/text.ts";
import { safeLine } from "../terminal/safe-text.ts";

/** More of one thing is not shown on a line. */
const MAX_CHARS = 400;

/** Returns the beginning of a text as one line that is safe for a terminal. */
export function excerpt(text: string): string {
  // What is cut off need not be made safe.
  return shorten(safeLine(text.slice(0, 4 * MAX_CHARS)), MAX_CHARS);
}
