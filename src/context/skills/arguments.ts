/** A line taken apart as a shell would: at spaces, but not in quotes. A quote without its other half is a letter. */
export function argumentsIn(line: string): readonly string[] {
  const words = [...line.matchAll(/(?:"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^\s]))|(\s+)/gs)];
  const found: string[] = [];
  let word: string | null = null;
  for (const [, double, single, escaped, plain, space] of words) {
    if (space !== undefined) {
      if (word !== null) found.push(word);
      word = null;
    } else word = `${word ?? ""}${double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped ?? plain ?? ""}`;
  }
  return word === null ? found : [...found, word];
}
