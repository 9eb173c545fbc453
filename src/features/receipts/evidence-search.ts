import type { Citation } from "./citations.ts";
import type { Evidence } from "./evidence.ts";
import { baseName, isSame, plainPath } from "./paths.ts";

/** Lines by which a citation may be off, through edits or miscounting. */
const SLACK = 5;
/** A name in that many positions counts as seen. */
const MOST = 2_000;
const IN_PATH = /[\p{L}\p{N}_.@+~/\\-]/u;
/** Directly after a path in outputs: `:12`, `-12-`, `(12,5)`, `", line 12`, `#L12`. */
const LINE =
  /^[`"')\]*]{0,3}\s?(?::|-|\(|#L?|[,，]?\s?(?:at\s|on\s|in\s)?lines?\s|\s+L|\s?[(（]?第\s?)\s?L?(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?/i;

type Span = NonNullable<Citation["lines"]>;

/** The evidence, indexed for one report. */
export interface EvidenceSearch extends Evidence {
  /** Returns the texts that contain a name, or null if the search limit is reached. */
  holding(name: string): readonly string[] | null;
}

/** Characters that are searched for one report: a conversation can be long, and a report full of names. */
const MOST_SEARCHED = 60_000_000;

export function searchIn(evidence: Evidence): EvidenceSearch {
  const known = new Map<string, readonly string[]>();
  const size = evidence.texts.reduce((sum, text) => sum + text.length, 0);
  let searched = 0;
  return {
    ...evidence,
    holding(name) {
      const before = known.get(name);
      if (before) return before;
      searched += size;
      // The first name is always searched.
      if (searched > MOST_SEARCHED && known.size > 0) return null;
      const texts = evidence.texts.filter((text) => text.includes(name));
      known.set(name, texts);
      return texts;
    },
  };
}

/** Returns why the agent cannot know what it cites, or null if it can. */
export function unseenReason(
  { path: said, lines, claimsRead }: Citation,
  evidence: EvidenceSearch,
): string | null {
  const path = plainPath(said, evidence.folders);
  const files = evidence.files.filter((file) => isSame(file.path, path));
  const content = files.length > 0 || isShownByCommand(path, evidence);
  if (lines === null) {
    if (content || isNamed(path, evidence))
      return claimsRead && !content && !isQuotedIn(path, evidence) ? "it was never read" : null;
    return "it is in nothing that the agent has seen";
  }
  if (files.some(({ spans }) => spans === null || covers(spans, lines))) return null;
  if (isShownByCommand(path, evidence)) return null;
  const { named, near } = sighted(path, lines, evidence);
  if (near || (named && isQuotedIn(path, evidence))) return null;
  if (files.length > 0)
    return `only ${spansInWords(files.flatMap(({ spans }) => spans ?? []))} of it were read`;
  return named ? "it was never read" : "it is in nothing that the agent has seen";
}

function covers(spans: readonly Span[], { from, to }: Span): boolean {
  const has = (line: number) => spans.some((span) => line >= span.from - SLACK && line <= span.to + SLACK);
  return has(from) && has(to);
}

function spansInWords(spans: readonly Span[]): string {
  const words = [...new Set(spans.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)))];
  const more = words.length > 5 ? " and others" : "";
  return `lines ${words.slice(0, 5).join(", ")}${more}`;
}

/** Returns whether it is named anywhere, and with a line near the cited one. */
function sighted(
  path: string,
  lines: Span | null,
  search: EvidenceSearch,
): { named: boolean; near: boolean } {
  const base = baseName(path);
  const texts = search.holding(base);
  if (texts === null) return { named: true, near: true };
  let named = false;
  let count = 0;
  for (const text of texts) {
    for (let at = text.indexOf(base); at >= 0; at = text.indexOf(base, at + base.length)) {
      count += 1;
      if (count > MOST) return { named: true, near: named };
      if (!isNamedAt(text, at, base, path, search)) continue;
      named = true;
      if (lines === null) return { named, near: false };
      const [, first, last = first] = LINE.exec(text.slice(at + base.length, at + base.length + 40)) ?? [];
      if (first !== undefined && covers([{ from: Number(first), to: Number(last) }], lines))
        return { named, near: true };
    }
  }
  return { named, near: false };
}

function isNamed(path: string, evidence: EvidenceSearch): boolean {
  return sighted(path, null, evidence).named;
}

function isNamedAt(
  text: string,
  at: number,
  base: string,
  path: string,
  { holding, inputs, folders }: EvidenceSearch,
): boolean {
  // `search.ts` is not in `research.ts`, nor in `search.tsx`.
  if (/^[\p{L}\p{N}_]/u.test(text.slice(at + base.length, at + base.length + 1))) return false;
  let from = at;
  while (from > 0 && at - from < 300 && IN_PATH.test(text.charAt(from - 1))) from -= 1;
  const before = text.slice(from, at);
  const seen = plainPath(`${before}${base}`, folders).replace(/^(?:\.\.\/)+|^[ab]\/(?=.)/, "");
  if (!isSame(seen, path) && !isSame(plainPath(`${before}${base}`, folders), path)) return false;
  if (seen.length >= path.length) return true;
  // Only the end of the path is here: what comes before it must occur somewhere.
  const rest = path
    .slice(0, path.length - seen.length)
    .split("/")
    .filter((part) => part !== "" && part !== "..");
  return rest.every((part) => holding(part)?.length !== 0 || inputs.some((one) => one.includes(part)));
}

/** True if a command names the file and so may have shown any of it; one that only lists names shows nothing. */
function isShownByCommand(path: string, { commands, folders }: Evidence): boolean {
  const base = baseName(path);
  return commands.some((command) => {
    if (/^\s*(?:ls|find|stat|touch|mkdir|rm|test)\b[^|;&]*$/.test(command) && !/-exec\b/.test(command))
      return false;
    if (/\bxargs\b|-exec\b/.test(command)) return true;
    return command.split(/[\s;|&<>()"'=]+/).some((word) => {
      if (word.includes("*")) return globMatches(plainPath(word, folders), path);
      const named = plainPath(word.replace(/^\S*:(?=[^/])/, ""), folders);
      return named.endsWith(base) && isSame(named, path);
    });
  });
}

function globMatches(glob: string, path: string): boolean {
  if (glob.length > 200) return false;
  const source = glob
    .split(/\*+/)
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`(?:^|/)${source}$`).test(path) && glob !== "*";
}

/** True if its content occurs without line numbers in a prompt, a diff or a search. */
function isQuotedIn(path: string, { holding }: EvidenceSearch): boolean {
  const base = baseName(path);
  return (holding(base) ?? []).some((text) => {
    for (
      let at = text.indexOf(base), tries = 0;
      at >= 0 && tries < 50;
      at = text.indexOf(base, at + 1), tries += 1
    ) {
      const behind = text.slice(at + base.length, at + base.length + 200);
      if (/^["'`*]*\s*[:>)]?[^\n]{0,80}\n\s*(?:```|~~~)/.test(behind)) return true;
      // The header of a diff.
      if (/(?:^|\n)(?:\+\+\+ |--- |diff --git |==> )[^\n]*$/.test(text.slice(Math.max(0, at - 200), at)))
        return true;
      if (
        /(?:^|\n)[\w./@-]*$/.test(text.slice(Math.max(0, at - 200), at)) &&
        /^[:-](?!\d+(?:\n|$))\D/.test(behind)
      )
        return true;
    }
    return false;
  });
}
