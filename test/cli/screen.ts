const tokens = /(?![\n\r])\p{Cc}\[[?\d;]*[a-zA-Z]|./gsu;

/** A small terminal: what a person sees after this was written to it. Knows only what the painter uses. */
export function screen(written: string, columns = 80): string[] {
  const lines: string[] = [""];
  let row = 0;
  let column = 0;
  let wraps = true;
  const put = (character: string) => {
    if (column >= columns) {
      if (!wraps) return;
      row += 1;
      column = 0;
    }
    const line = (lines[row] ?? "").padEnd(column);
    lines[row] = line.slice(0, column) + character + line.slice(column + 1);
    column += 1;
  };
  for (const [token] of written.matchAll(tokens)) {
    if (token === "\n") {
      row += 1;
      column = 0;
      lines[row] ??= "";
    } else if (token === "\r") column = 0;
    else if (token === "\u001b[K") lines[row] = (lines[row] ?? "").slice(0, column);
    else if (token === "\u001b[J") {
      lines[row] = (lines[row] ?? "").slice(0, column);
      lines.length = row + 1;
    } else if (token === "\u001b[?7l") wraps = false;
    else if (token === "\u001b[?7h") wraps = true;
    else if (token.startsWith("\u001b[") && token.endsWith("A"))
      row = Math.max(0, row - Number.parseInt(token.slice(2), 10));
    else if (token.startsWith("\u001b[") && token.endsWith("m")) continue;
    else if (token.startsWith("\u001b")) throw new Error(`the screen does not know ${JSON.stringify(token)}`);
    else put(token);
  }
  return lines.map((line) => line.trimEnd());
}
