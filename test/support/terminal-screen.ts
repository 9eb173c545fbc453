import xterm from "@xterm/headless";

/** What a user sees on a terminal, scrollback included. */
export interface TerminalScreen {
  /** Calls back once the text is on the screen. */
  write(text: string, done?: () => void): void;
  resize(columns: number, rows: number): void;
  /** Every line so far, without trailing spaces, down to the cursor or the last text. */
  lines(): string[];
  /** One of them. */
  line(row: number): string;
  /** Position of the cursor in `lines()`. */
  cursor(): { readonly row: number; readonly column: number };
  /** Lines that have left the screen. */
  scrolled(): number;
}

/** `convertEol`: a line feed starts a new line, as behind a real terminal's driver. */
export function terminalScreen(
  columns: number,
  rows: number,
  options: { readonly convertEol?: boolean; readonly onAnswer?: (text: string) => void } = {},
): TerminalScreen {
  const { convertEol = false, onAnswer = () => {} } = options;
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 20_000,
    allowProposedApi: true,
    convertEol,
  });
  terminal.onData(onAnswer);
  const buffer = () => terminal.buffer.active;
  const line = (row: number) => (buffer().getLine(row)?.translateToString(true) ?? "").trimEnd();
  const cursor = () => ({ row: buffer().baseY + buffer().cursorY, column: buffer().cursorX });
  return {
    write: (text, done) => terminal.write(text, done),
    resize: (columns, rows) => terminal.resize(columns, rows),
    lines() {
      const lines = Array.from({ length: buffer().length }, (_, row) => line(row));
      const end = Math.max(
        cursor().row,
        lines.findLastIndex((line) => line !== ""),
      );
      return lines.slice(0, end + 1);
    },
    line,
    cursor,
    scrolled: () => buffer().baseY,
  };
}

/** Returns the lines of a terminal to which this was written. */
export async function screenOf(written: string, columns = 80, rows = 24): Promise<string[]> {
  const screen = terminalScreen(columns, rows, { convertEol: true });
  await new Promise<void>((resolve) => screen.write(written, resolve));
  return screen.lines();
}
