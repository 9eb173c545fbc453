/** One piece of a word, as far as it matters whether its text is known before bash runs. */
export type Piece =
  /** `quoted`: in quotes or escaped, so that it is never a glob or an option's dash of bash's own making. */
  | { readonly type: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly type: "glob" | "brace" | "tilde" | "substitution"; readonly text: string }
  /** `$NAME` and `${NAME}`. */
  | { readonly type: "variable"; readonly text: string; readonly name: string }
  /** `$?` and `$#`: always a number. */
  | { readonly type: "number"; readonly text: string }
  /** `$((…))` of literals only. */
  | { readonly type: "sum"; readonly text: string }
  /**
   * What no rule short of bare `Bash` allows. `unset` is what it most likely leaves; `harmless`: it changes nothing in
   * the shell, so a confinement may run it (§5.7).
   */
  | {
      readonly type: "forbidden";
      readonly text: string;
      readonly unset: string;
      readonly harmless: boolean;
    };

/** A word of a command after quote removal. */
export interface ShellWord {
  readonly pieces: readonly Piece[];
  /** Quotes removed, expansions as they are written. */
  readonly value: string;
  /** Whether the value is what the command will get. */
  readonly literal: boolean;
  /** As written, with its quotes. */
  readonly raw: string;
}

/** A word whose text is known. */
export function literalWord(value: string): ShellWord {
  return { pieces: [{ type: "text", text: value, quoted: true }], value, literal: true, raw: value };
}

export function wordOf(pieces: readonly Piece[], raw: string): ShellWord {
  const value = pieces.map((piece) => piece.text).join("");
  return { pieces, value, literal: pieces.every((piece) => piece.type === "text"), raw };
}

/** What stands for an expansion in a text that an allow rule is compared with: no rule contains it, so only `*` takes it. */
export const UNKNOWN = "\0";

/** Whether setting this name leaves later commands what they are: `for PATH in …` does not (§5.9). */
export function isSmallName(name: string): boolean {
  return /^[a-z]\w*$/.test(name);
}

/** The letters a command word may be made of: with them every reader agrees on where it begins and ends. */
export function isPlainCommandWord(value: string): boolean {
  return /^[\w./+:@%,=[-]+$/.test(value);
}

/** One word wherever it is put without quotes, and neither an option nor an operator of a test. */
export function isPlainValue({ literal, value }: ShellWord): boolean {
  return literal && /^[\w./:@%+,][\w./:@%+,=-]*$/.test(value);
}

/** The words of a command as one text in which only what is known is spelt out. */
export function knownText(words: readonly ShellWord[]): string {
  return words
    .map(({ literal, value, pieces }) =>
      literal ? value : pieces.map((piece) => (piece.type === "text" ? piece.text : UNKNOWN)).join(""),
    )
    .join(" ");
}

export function plainText(words: readonly ShellWord[]): string {
  return words.map(({ value }) => value).join(" ");
}

/**
 * The same words if every variable in them is empty: `r$@m`, `g${x}it` and `rm${IFS}-rf` are what they look
 * like then. Null where nothing would differ.
 */
export function unsetWords(words: readonly ShellWord[]): readonly ShellWord[] | null {
  const unset = words.flatMap((word) => {
    const text = word.pieces.map(emptied).join("");
    return text === word.value ? [word] : text.split(" ").filter(Boolean).map(literalWord);
  });
  return unset.length === words.length && unset.every((word, at) => word === words[at]) ? null : unset;
}

function emptied(piece: Piece): string {
  if (piece.type === "variable") return piece.name === "IFS" ? " " : "";
  return piece.type === "forbidden" ? piece.unset : piece.text;
}
