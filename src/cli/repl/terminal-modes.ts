import type { CliIO } from "../io.ts";

const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";

/**
 * Delivers each key as it is typed, including Ctrl-C, and pasted text between markers. Returns a function that undoes
 * this; Node resets the terminal's own settings at exit.
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
      // A closed terminal has no modes.
    }
  };
}
