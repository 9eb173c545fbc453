/** Returns the line ranges with conflict marks; lines count from 1. */
export function markedLines(text: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let from: number | null = null;
  for (const [at, line] of text.split("\n").entries()) {
    if (from === null && /^<{7,} /.test(line)) from = at + 1;
    else if (from !== null && /^>{7,} /.test(line)) {
      found.push({ from, to: at + 1 });
      from = null;
    }
  }
  return found;
}

/** Returns the marks with this name, as Troupe's have: other text has it only by chance. */
export function marksOf(text: string, name: string): { from: number; to: number }[] {
  const isMark = (line: string) => /^[<>]{7,} /.test(line) && line.includes(name);
  return text.split("\n").flatMap((line, at) => (isMark(line) ? [{ from: at + 1, to: at + 1 }] : []));
}
