import { displayWidth } from "../../src/terminal/display-width.ts";

const ESC = "\u001b";
const tokens = new RegExp(`${ESC}\\[[?\\d;]*[a-zA-Z]|[\\s\\S]`, "gu");
const halfToken = new RegExp(`${ESC}(?:\\[[?\\d;]*)?$`);

/** What a person sees on a terminal, scrollback included: a small emulator that knows what Troupe writes. */
export interface TerminalScreen {
  write(text: string): void;
  /** Every line so far, without trailing spaces. */
  lines(): string[];
  /** Where the cursor is, of `lines()`. */
  cursor(): { readonly row: number; readonly column: number };
}

export function terminalScreen(columns: number, rows: number): TerminalScreen {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  let wraps = true;
  let rest = "";

  const top = () => Math.max(0, lines.length - rows);
  const line = (): string[] => (lines[row] ??= []);
  const down = (): void => {
    row += 1;
    line();
  };
  const put = (character: string): void => {
    const wide = displayWidth(character);
    if (wide === 0) return;
    if (column + wide > columns) {
      if (!wraps) return;
      column = 0;
      down();
    }
    const cells = line();
    while (cells.length < column) cells.push(" ");
    cells[column] = character;
    if (wide === 2) cells[column + 1] = "";
    column += wide;
  };
  const control = (token: string): void => {
    const count = Number.parseInt(token.slice(2), 10) || 1;
    switch (token.at(-1)) {
      case "A":
        row = Math.max(top(), row - count);
        break;
      case "C":
        column = Math.min(columns - 1, column + count);
        break;
      case "K":
        line().length = Math.min(line().length, column);
        break;
      case "J":
        line().length = Math.min(line().length, column);
        lines.length = row + 1;
        break;
      case "l":
      case "h":
        if (token.startsWith("\u001b[?7")) wraps = token.endsWith("h");
        break;
      case "m":
        break;
      default:
        throw new Error(`the screen does not know ${JSON.stringify(token)}`);
    }
  };
  return {
    write(text) {
      const whole = rest + text;
      const half = halfToken.exec(whole)?.index ?? whole.length;
      rest = whole.slice(half);
      for (const [token] of whole.slice(0, half).matchAll(tokens)) {
        if (token === "\n") down();
        else if (token === "\r") column = 0;
        else if (token === "\b") column = Math.max(0, column - 1);
        else if (token === "\u0007") continue;
        else if (token.startsWith("\u001b")) control(token);
        else put(token);
      }
    },
    lines: () =>
      lines.map((cells) =>
        Array.from(cells, (cell) => cell ?? " ")
          .join("")
          .trimEnd(),
      ),
    cursor: () => ({ row, column }),
  };
}
