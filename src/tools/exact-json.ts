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

/** JSON whose numbers are written again as they were read: `1.0`, and what no number of this language can hold. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}

/** Indented as the text was that it came from, with a line feed at the end where that had one. */
export function writeLike(original: string, value: unknown): string {
  const indent =
    /^[[{]\r?\n([ \t]+)/.exec(original.trimStart())?.[1] ?? (original.trim().includes("\n") ? " " : "");
  return `${JSON.stringify(value, null, indent)}${/\n\s*$/.test(original) ? "\n" : ""}`;
}
