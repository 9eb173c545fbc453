import type { OfflinePlan } from "./plan.ts";
import { type FoundLine, type OfflineTools, readSome } from "./tools.ts";

export const KEYWORDS =
  "function\\*?|class|interface|type|enum|struct|trait|impl|defp?|func|fn|const|let|var|val|module|namespace|object|macro|sub|protocol";

/** The source of a pattern for the declaration of a name, itself a source. */
export function declarationOf(name: string): string {
  return String.raw`\b(?:${KEYWORDS}|static|#define)\s+(?:\([^)]*\)\s*|mut\s+|self\.)?${name}\b|^\s*(?:[\w<>\[\],*&]+\s+)+${name}\s*\([^;]*\)[^;]*\{\s*$|^\s*(?:async\s+)?${name}\s*\([^;]*\)[^;]*\{\s*$|^\s*${name}\s*[:=]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>)`;
}

const DECLARATION = new RegExp(
  `^\\s*(?:export |default |declare |public |private |protected |static |abstract |final |async |unsafe |pub(?:\\([^)]*\\))? )*(?:${KEYWORDS})\\s+[\\w$(]`,
);

export function isDeclaration(text: string): boolean {
  return DECLARATION.test(text);
}

export function isComment(text: string): boolean {
  return /^\s*(?:\/\/|\/?\*|#(?!include|define|!|\[)|--\s|<!--|"""|''')/.test(text);
}

const GENERATED =
  /(?:^|\/)(?:[\w.-]*lock[\w.-]*\.(?:json|ya?ml)|[\w.]*\.lock|go\.sum|changelog[^/]*|dist\/.*|.*\.(?:min\.\w+|snap|map|svg))$/i;
const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__|fixtures?|testdata|bench\w*|examples?)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_\w+\.py$/i;
const DOCUMENT = /\.(?:md|mdx|rst|txt|adoc|1)$/i;

export function isDocument(path: string): boolean {
  return DOCUMENT.test(path);
}

/** How likely a file is to answer: sources before settings, documents and tests, generated ones last. */
export function fileWeight(path: string): number {
  if (GENERATED.test(path)) return 0.1;
  if (TEST.test(path)) return 0.45;
  if (isDocument(path)) return 0.5;
  return /\.(?:json|ya?ml|toml|ini|cfg)$/i.test(path) ? 0.6 : 1;
}

/** Reads around lines: for each the comment above it, the line, and what belongs to it below. */
export function* passages(
  places: readonly FoundLine[],
  longest: number,
  tools: OfflineTools,
): OfflinePlan<FoundLine[][]> {
  const around = places.map(({ path, line }) => ({ path, offset: Math.max(1, line - 15), limit: 60 }));
  const read = yield* readSome(tools, around);
  return places.map((place, at) => {
    const lines = read[at] ?? [];
    const from = lines.findIndex(({ line }) => line === place.line);
    return from < 0 ? [place] : passageAt(lines, from, longest);
  });
}

/** Ends before the next empty line. */
function passageAt(lines: readonly FoundLine[], at: number, longest: number): FoundLine[] {
  let from = at;
  while (from > 0 && at - from < 10 && isComment(lines[from - 1]?.text ?? "")) from -= 1;
  const size = lines.slice(at).findIndex(({ text }) => text.trim() === "");
  return lines.slice(from, Math.min(size < 0 ? lines.length : at + size, from + longest));
}
