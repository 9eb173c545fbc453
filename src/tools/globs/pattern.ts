/** What of a tree a pattern can match. */
export interface GlobPattern {
  /** `from`: where in the path begins what lies below the folder that the pattern starts in. */
  matches(path: string, from: number, name: string): boolean;
  /** Whether something in this folder may match; `depth` counts from 0 where the pattern starts. */
  mayMatchIn(name: string, depth: number): boolean;
}

export async function globPattern(pattern: string): Promise<GlobPattern> {
  // Loaded here, because an agent that never globs should not pay for it.
  const { default: picomatch } = await import("picomatch");
  const expression = (part: string) => picomatch.makeRe(part, { dot: true });
  const parts = pattern.split("/");
  // A slash inside braces or parentheses, or a pattern that is turned round: then its parts say nothing.
  const isPlain = parts.every(isBalanced) && !/^!(?!\()/.test(pattern);
  const anyDepth = parts.findIndex((part) => part.includes("**"));
  const folders = (anyDepth < 0 ? parts.slice(0, -1) : parts.slice(0, anyDepth)).map(expression);
  const [first, last, third] = parts;
  // By far the most frequent form asks for a name in any folder, and a name is sooner looked at than a path.
  const byName = isPlain && first === "**" && last && !last.includes("**") && third === undefined;
  const whole = expression(byName ? last : pattern);
  return {
    matches: byName ? (_path, _from, name) => whole.test(name) : (path, from) => whole.test(path.slice(from)),
    mayMatchIn(name, depth) {
      if (!isPlain) return true;
      const folder = folders[depth];
      return folder === undefined ? anyDepth >= 0 : folder.test(name);
    },
  };
}

function isBalanced(part: string): boolean {
  let open = 0;
  for (const sign of part) {
    if ("{([".includes(sign)) open += 1;
    if ("})]".includes(sign)) open -= 1;
  }
  return open === 0;
}
