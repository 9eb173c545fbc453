/** A part of a line, and whether the other line has another one there. */
export interface WordPiece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Returns two lines in pieces; null if most of them differs, or if they are too long to compare. */
export type CompareWords = (
  removed: string,
  added: string,
) => { readonly removed: readonly WordPiece[]; readonly added: readonly WordPiece[] } | null;

/** With more changes than that a line reads better as a whole. */
const MOST_CHANGED = 0.6;
const LONGEST = 1_000;
const MOST_EDITS = 80;

export interface Words {
  /** Loads what compares; until then no words are marked. Never rejects. */
  load(): Promise<void>;
  readonly compare: CompareWords;
}

export function createWords(): Words {
  let library: typeof import("diff/lib/diff/word.js") | null = null;
  return {
    async load() {
      library = await import("diff/lib/diff/word.js").catch(() => null);
    },
    compare(removed, added) {
      if (library === null || removed.length > LONGEST || added.length > LONGEST) return null;
      const parts = library.diffWordsWithSpace(removed, added, { maxEditLength: MOST_EDITS });
      const changed = (parts ?? []).reduce(
        (sum, part) => sum + (part.added || part.removed ? part.value.length : 0),
        0,
      );
      if (!parts || changed > MOST_CHANGED * (removed.length + added.length)) return null;
      return {
        removed: parts.filter((part) => !part.added).map(pieceOf),
        added: parts.filter((part) => !part.removed).map(pieceOf),
      };
    },
  };
}

function pieceOf({ value, added, removed }: { value: string; added: boolean; removed: boolean }): WordPiece {
  return { text: value, isChanged: added || removed };
}
