import type { Outlet } from "../output-stream.ts";

/** The whole terminal, until it is given back. */
export interface FullScreen {
  /** Replaces all that is shown; the lines must fit. */
  show(lines: readonly string[]): void;
  /** What was on the terminal before is there again. Idempotent. */
  leave(): void;
}

const ESC = "\u001b[";
const ENTER = `${ESC}?1049h${ESC}?25l`;
const LEAVE = `${ESC}?7h${ESC}?25h${ESC}?1049l`;

/**
 * Takes the terminal's other screen and hides the cursor. It is given back on every way out that a process has a
 * say in: `onExit` calls back when the process ends, also by an error, and its answer withdraws that.
 */
export function takeScreen(outlet: Outlet, onExit: (call: () => void) => () => void = atExit): FullScreen {
  // A terminal that is gone has nothing to be restored.
  const write = (text: string) => void outlet.write(text).catch(() => {});
  let shown = "";
  let left = false;
  const leave = (): void => {
    if (left) return;
    left = true;
    forget();
    write(LEAVE);
  };
  const forget = onExit(leave);
  write(ENTER);
  return {
    show(lines) {
      if (left) return;
      const { rows } = outlet.size();
      // Up by more rows than there are ends in the first one. The last line has no newline: it would scroll.
      const frame = `\r${ESC}${rows}A${ESC}?7l${lines.map((line) => `${line}${ESC}K`).join("\n")}${ESC}J${ESC}?7h`;
      if (frame === shown) return;
      shown = frame;
      write(frame);
    },
    leave,
  };
}

function atExit(call: () => void): () => void {
  process.once("exit", call);
  return () => process.off("exit", call);
}
