import type { CliIO } from "../io.ts";

const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";

/**
 * Gives us each key as it is typed, Ctrl-C among them, and pasted text between markers. The answer undoes it;
 * at the end of the process node itself resets what it changed of the terminal.
 */
export function takeKeys({ stdin, stdout }: CliIO): () => void {
  let taken = true;
  stdin.setRawMode?.(true);
  stdout.write(PASTE_ON).catch(() => {});
  return () => {
    if (!taken) return;
    taken = false;
    stdout.write(PASTE_OFF).catch(() => {});
    try {
      stdin.setRawMode?.(false);
    } catch {
      // A terminal that is gone has no modes.
    }
  };
}
