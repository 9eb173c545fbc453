/** One piece of a word, by whether its text is known before bash runs. */
export type Piece =
  /** `quoted`: in quotes or escaped. */
  | { readonly type: "text"; readonly text: string; readonly quoted: boolean }
  /** `number`: `$?` or `$#`; `sum`: `$((…))` of literals only. */
  | { readonly type: "glob" | "brace" | "tilde" | "substitution" | "number" | "sum"; readonly text: string }
  /** `$NAME` and `${NAME}`. */
  | { readonly type: "variable"; readonly text: string; readonly name: string }
  /** What no rule short of bare `Bash` allows. */
  | ForbiddenPiece;

export interface ForbiddenPiece {
  readonly type: "forbidden";
  readonly text: string;
  /** What it most likely leaves. */
  readonly unset: string;
  /** True if it changes nothing in the shell, so that a confinement may run it (§5.7). */
  readonly harmless: boolean;
}

/** A word of a command after quote removal. */
export interface ShellWord {
  readonly pieces: readonly Piece[];
  /** Quotes removed, expansions as they are written. */
  readonly value: string;
  /** True if the value is what the command will get. */
  readonly literal: boolean;
  /** As written, with its quotes. */
  readonly raw: string;
}

export function literalWord(value: string): ShellWord {
  return { pieces: [{ type: "text", text: value, quoted: true }], value, literal: true, raw: value };
}

export function wordOf(pieces: readonly Piece[], raw: string): ShellWord {
  const value = pieces.map((piece) => piece.text).join("");
  return { pieces, value, literal: pieces.every((piece) => piece.type === "text"), raw };
}

/** Stands for an expansion in a text that an allow rule is compared with: no rule contains it, so only `*` takes it. */
export const UNKNOWN = "\0";

/** True if setting this name leaves later commands what they are: `for PATH in …` does not (§5.9). */
export function isSmallName(name: string): boolean {
  return /^[a-z]\w*$/.test(name);
}

/** Returns a command as one text in which only what is known is spelt out. */
export function knownText(words: readonly ShellWord[]): string {
  const known = ({ type, text }: Piece) => (type === "text" ? text : UNKNOWN);
  return words.map(({ literal, value, pieces }) => (literal ? value : pieces.map(known).join(""))).join(" ");
}

export function plainWords(words: readonly ShellWord[]): string {
  return words.map(({ value }) => value).join(" ");
}

/** Returns the words that `r$@m`, `g${x}it` and `rm${IFS}-rf` are if every variable is empty; null if nothing differs. */
export function unsetWords(words: readonly ShellWord[]): readonly ShellWord[] | null {
  if (words.every(({ literal }) => literal)) return null;
  const emptied = (piece: Piece) => {
    if (piece.type === "variable") return piece.name === "IFS" ? " " : "";
    return piece.type === "forbidden" ? piece.unset : piece.text;
  };
  const unset = words.flatMap((word) => {
    const text = word.pieces.map(emptied).join("");
    return text === word.value ? [word] : text.split(" ").filter(Boolean).map(literalWord);
  });
  return unset.length === words.length && unset.every((word, at) => word === words[at]) ? null : unset;
}
