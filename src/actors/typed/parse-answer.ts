export type ParseAnswer =
  | { readonly type: "data"; readonly value: unknown }
  /** `reason` follows "Your answer" in a sentence. */
  | { readonly type: "none"; readonly reason: string };

const FENCE = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm;

/**
 * Finds the JSON in an answer: all of it, its last fenced block of JSON, or the text between its outermost brackets.
 */
export function parseAnswer(text: string): ParseAnswer {
  const fenced = [...text.matchAll(FENCE)].map((match) => match[2] ?? "");
  let failure = "is no JSON";
  for (const candidate of [text, ...fenced.toReversed(), between(text, "{", "}"), between(text, "[", "]")]) {
    if (candidate.trim() === "") continue;
    try {
      return { type: "data", value: JSON.parse(candidate) };
    } catch (error) {
      // The likeliest candidate looks like data, and its error helps most.
      if (/^\s*[[{]/.test(candidate) && error instanceof Error) failure = `is no JSON: ${error.message}`;
    }
  }
  return { type: "none", reason: text.trim() === "" ? "is empty" : failure };
}

function between(text: string, open: string, close: string): string {
  const [from, to] = [text.indexOf(open), text.lastIndexOf(close)];
  return from < 0 || to < from ? "" : text.slice(from, to + 1);
}
