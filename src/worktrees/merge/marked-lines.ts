/** Where both sides stand in a file that could not be merged; lines count from 1. */
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

/** Marks that bear this name, as ours do: nobody's own text has them by chance. */
export function marksOf(text: string, name: string): { from: number; to: number }[] {
  const isMark = (line: string) => /^[<>]{7,} /.test(line) && line.includes(name);
  return text.split("\n").flatMap((line, at) => (isMark(line) ? [{ from: at + 1, to: at + 1 }] : []));
}
