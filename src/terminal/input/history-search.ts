import { cutToWidth, displayWidth } from "../display-width.ts";
import { safeLine } from "../safe-text.ts";
import type { Editor, Overlay } from "./editor.ts";
import { isKey } from "./keys.ts";

/** With fewer columns, what is found has a row of its own. */
const FOR_FOUND = 16;

/**
 * Looks for an earlier prompt while it is typed, newest first (Ctrl-R), as `history` is. What is found is put into the
 * editor; sending it is another Enter.
 */
export function createHistorySearch(history: readonly string[], editor: Pick<Editor, "set">): Overlay {
  let isOpen = true;
  let word = "";
  let skip = 0;
  const found = (): string | undefined => {
    const wanted = word.toLowerCase();
    return history.filter((line) => line.toLowerCase().includes(wanted))[skip];
  };
  const search = (next: string, again = 0): void => {
    const [before, skipped] = [word, skip];
    word = next;
    skip = again;
    // Stays at the last one that fits.
    if (again > 0 && found() === undefined) [word, skip] = [before, skipped];
  };
  const accept = (): void => {
    const line = found();
    if (line !== undefined) editor.set(line);
    isOpen = false;
  };
  return {
    get isOpen() {
      return isOpen;
    },
    take(key) {
      if (isKey(key, "ctrl+r") || isKey(key, "up")) search(word, skip + 1);
      else if (isKey(key, "down")) search(word, Math.max(0, skip - 1));
      else if (isKey(key, "backspace")) search(word.slice(0, -1));
      else if (isKey(key, "escape") || isKey(key, "ctrl+c") || isKey(key, "ctrl+g")) isOpen = false;
      else if (isKey(key, "enter") || isKey(key, "tab") || isKey(key, "right")) accept();
      else if (!/^\p{Cc}/u.test(key.text)) search(word + key.text.replace(/\s+/g, " "));
    },
    rows(_, { columns }) {
      const line = found();
      const head = `history, with ${safeLine(word)}`;
      const rest = line === undefined ? "nothing" : (line.split("\n")[0] ?? "");
      const shown = safeLine(rest);
      const cursor = { row: 0, column: Math.min(columns - 1, displayWidth(head)) };
      const isWide = columns - displayWidth(head) >= FOR_FOUND;
      const rows = isWide ? [`${head}: ${shown}`] : [`${head}:`, `  ${shown}`];
      return { rows: rows.map((row) => cutToWidth(row, columns)), cursor };
    },
  };
}
