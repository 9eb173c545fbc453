import { type Dirent, readdirSync } from "node:fs";
import type { Piece } from "../shell/script.ts";
import { matcherOf, type Sign } from "./path-signs.ts";

/** The limit of directory entries read for one word. */
const MOST_ENTRIES = 20_000;

/** True if a word has a wildcard. */
export function hasGlob({ pieces }: { readonly pieces: readonly Piece[] }): boolean {
  return pieces.some(({ type }) => type === "glob");
}

/** Returns the text before the first wildcard of a word. */
export function textBeforeGlob(pieces: readonly Piece[]): string {
  const end = pieces.findIndex(({ type }) => type === "glob");
  return pieces
    .slice(0, end < 0 ? undefined : end)
    .map(({ text }) => text)
    .join("");
}

/**
 * Returns every path that bash would read for a word with wildcards: its matches, and the directories above them. Null
 * if there are too many, or a directory cannot be listed.
 */
export function pathsOfGlob(pieces: readonly Piece[], dir: string): readonly string[] | null {
  const segments = segmentsOf(pieces);
  const found: string[] = [];
  let looked = 0;
  let level = [segments[0]?.text === "" ? "/" : dir];
  for (const [at, { text, matches }] of segments.entries()) {
    if (at === 0 && text === "") continue;
    const last = at === segments.length - 1;
    const next: string[] = [];
    for (const parent of level) {
      const base = parent === "/" ? "" : parent;
      if (text !== null) {
        if (text !== "" && text !== ".") next.push(`${base}/${text}`);
        else next.push(parent);
        continue;
      }
      let entries: Dirent[];
      try {
        entries = readdirSync(parent, { withFileTypes: true });
      } catch (error) {
        if (
          error instanceof Error &&
          "code" in error &&
          (error.code === "ENOENT" || error.code === "ENOTDIR")
        )
          continue;
        return null;
      }
      looked += entries.length;
      if (looked > MOST_ENTRIES) return null;
      for (const entry of entries) {
        if (!matches.test(entry.name)) continue;
        if (last || entry.isDirectory() || entry.isSymbolicLink()) next.push(`${base}/${entry.name}`);
      }
    }
    found.push(...next);
    level = next;
  }
  return found;
}

interface Segment {
  /** Null if it has a wildcard. */
  readonly text: string | null;
  readonly matches: { test(name: string): boolean };
}

function segmentsOf(pieces: readonly Piece[]): readonly Segment[] {
  const segments: { text: string | null; signs: Sign[] }[] = [{ text: "", signs: [] }];
  for (const { type, text } of pieces) {
    if (type === "glob") {
      const segment = segments.at(-1);
      if (segment === undefined) continue;
      const first = segment.signs.length === 0;
      segment.text = null;
      segment.signs.push(...wildcardSigns(text, first));
      continue;
    }
    for (const [at, name] of text.split("/").entries()) {
      if (at > 0) segments.push({ text: "", signs: [] });
      const segment = segments.at(-1);
      if (segment === undefined) continue;
      if (segment.text !== null) segment.text += name;
      for (const letter of name)
        segment.signs.push({ type: "one", letter: letter.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&") });
    }
  }
  return segments.map(({ text, signs }) => ({ text, matches: matcherOf(signs, "s") }));
}

/** A hidden file is found only by a literal dot. */
function wildcardSigns(text: string, first: boolean): Sign[] {
  const head: Sign = { type: "one", letter: first ? "[^/.]" : "[^/]" };
  if (!text.startsWith("*")) return [head];
  const many: Sign = { type: "many", letter: "[^/]" };
  return first ? [{ type: "maybe", signs: [head, many] }] : [many];
}
