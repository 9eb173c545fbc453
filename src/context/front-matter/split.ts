/** The parts of a text that may begin with front matter; lines count from 1. */
export type Parts =
  | {
      readonly type: "parts";
      readonly header: string;
      /** Line of the header's first line. */
      readonly headerLine: number;
      readonly body: string;
      readonly bodyLine: number;
    }
  | { readonly type: "none" }
  /** It begins and does not end. */
  | { readonly type: "open"; readonly line: number };

const FENCE = /^---[ \t]*$/;
const END = /^(?:---|\.\.\.)[ \t]*$/;

/** Takes a text apart. A byte order mark, the line ends of other systems and empty lines before it do not matter. */
export function splitFrontMatter(text: string): Parts {
  const lines = plainLines(text);
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first < 0 || !FENCE.test(lines[first] ?? "")) return { type: "none" };
  const end = lines.findIndex((line, at) => at > first && END.test(line));
  if (end < 0) return { type: "open", line: first + 1 };
  return {
    type: "parts",
    header: lines.slice(first + 1, end).join("\n"),
    headerLine: first + 2,
    body: lines.slice(end + 1).join("\n"),
    bodyLine: end + 2,
  };
}

function plainLines(text: string): string[] {
  return text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
}
