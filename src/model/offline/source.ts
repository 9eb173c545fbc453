import type { OfflinePlan } from "./plan.ts";
import { type FoundLines, type OfflineTools, readSome } from "./tools.ts";

export const KEYWORDS =
  "function\\*?|class|interface|type|enum|struct|trait|impl|defp?|func|fn|const|let|var|val|module|namespace|object|macro|sub|protocol";

/** The source of a pattern for the declaration of a name, itself a source. */
export function declarationOf(name: string): string {
  return String.raw`\b(?:${KEYWORDS}|static|#define)\s+(?:\([^)]*\)\s*|mut\s+|self\.)?${name}\b|^\s*(?:[\w<>\[\],*&]+\s+)*${name}\s*\([^;]*\)[^;]*\{\s*$|^\s*${name}\s*[:=]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>)`;
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

export function isDocument(path: string): boolean {
  return /\.(?:md|mdx|rst|txt|adoc|1)$/i.test(path);
}

const GENERATED =
  /(?:^|\/)(?:[\w.-]*lock[\w.-]*\.(?:json|ya?ml)|[\w.]*\.lock|go\.sum|changelog[^/]*|dist\/.*|.*\.(?:min\.\w+|snap|map|svg))$/i;
const NOT_SOURCE =
  /(?:^|\/)(?:tests?|specs?|__tests__|fixtures?|testdata|bench\w*|examples?|scripts?|\.\w+)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_\w+\.py$/i;

/** How likely a file is to answer: sources before settings, documents, scripts and tests, generated ones last. */
export function fileWeight(path: string): number {
  if (GENERATED.test(path)) return 0.1;
  if (NOT_SOURCE.test(path)) return 0.45;
  if (isDocument(path)) return 0.5;
  return /\.(?:json|ya?ml|toml|ini|cfg)$/i.test(path) ? 0.6 : 1;
}

/** The lines from a place up to the next one that fits; by default up to an empty line. */
export function linesUntil(lines: FoundLines, from: number, ends = /^\s*$/): FoundLines {
  const end = lines.findIndex(({ text }, at) => at > from && ends.test(text));
  return from < 0 ? [] : lines.slice(from, end < 0 ? undefined : end);
}

/** Reads around lines: for each the comment above it, the line, and what belongs to it, up to an empty line. */
export function* passages(
  places: FoundLines,
  longest: number,
  tools: OfflineTools,
): OfflinePlan<FoundLines[]> {
  const around = places.map(({ path, line }) => ({ path, offset: Math.max(1, line - 15), limit: 60 }));
  const read = yield* readSome(tools, around);
  return places.map((place, at) => {
    const lines = read[at] ?? [];
    const middle = lines.findIndex(({ line }) => line === place.line);
    if (middle < 0) return [place];
    const before = lines.slice(Math.max(0, middle - 10), middle);
    const comment = before.slice(before.findLastIndex(({ text }) => !isComment(text)) + 1);
    return [...comment, ...linesUntil(lines, middle)].slice(0, longest);
  });
}
