declare global {
  // Part of the language since ES2026; the compiler's library does not have it yet.
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): unknown;
  }
}

/** Parses JSON so that numbers are written again as they were: `1.0`, or ones too large for JavaScript. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}

/** Writes JSON with the indent of the original, and its line feed at the end. */
export function writeLike(original: string, value: unknown): string {
  const indent =
    /^[[{]\r?\n([ \t]+)/.exec(original.trimStart())?.[1] ?? (original.trim().includes("\n") ? " " : "");
  return `${JSON.stringify(value, null, indent)}${/\n\s*$/.test(original) ? "\n" : ""}`;
}
