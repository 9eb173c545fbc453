/** A variable that is set in front of a command, or alone. */
export interface ShellAssignment {
  readonly name: string;
  /** Neither `+=`, nor with a subscript, nor an array. */
  readonly simple: boolean;
  readonly text: string;
  /** The value, if it is one word. */
  readonly value: ShellWord | null;
}

export type ShellRedirect =
  /** `both`: `<>`. */
  | { readonly type: "write" | "read" | "both"; readonly target: ShellWord }
  /** A form whose meaning depends on what is not known. */
  | { readonly type: "unknown"; readonly text: string };

/** One simple command (§5.2), or a construct that is judged like one. */
export interface ShellPart {
  /** `test`: `[[ … ]]`; `construct`: what only bare `Bash` allows, such as `((…))`, coproc and functions. */
  readonly kind: "command" | "test" | "construct";
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  /** As written. */
  readonly source: string;
  /** Names that a `for` around it sets. */
  readonly loopNames: ReadonlySet<string>;
  /** The commands whose output it reads, nearest last; null if a member of the pipeline is not a simple command. */
  readonly before: readonly ShellPart[] | null;
  /** Texts of its here-strings and here-documents, as written. */
  readonly documents: readonly string[];
  /** True for a construct that only counts, such as `((i++))`. */
  readonly counts: boolean;
}

/** What happens in which order, as far as the working directory depends on it. */
export type Step =
  | { readonly type: "part"; readonly part: ShellPart }
  /** Of a group, a loop or a subshell. */
  | { readonly type: "redirects"; readonly redirects: readonly ShellRedirect[] }
  /** A shell of its own begins or ends: what it does to the directory is forgotten. */
  | { readonly type: "enter" | "leave" }
  /** What follows may not run; at `join` both outcomes are possible. */
  | { readonly type: "branch" | "join" }
  /** The statement before may have failed half-way: `;`, `||`. */
  | { readonly type: "settle" }
  /** A loop that changes the directory: after one round it is anywhere. */
  | { readonly type: "lost" }
  /** These may run before or beside each other: a pipeline, a loop, a command in the background. */
  | { readonly type: "together"; readonly parts: readonly ShellPart[] }
  /** Data of the script: the list of a `for`, a here-document. */
  | { readonly type: "data"; readonly words: readonly ShellWord[] };

export interface ShellScript {
  /** Why no rule can ever allow it (§5.1), in the user's words; deny and ask still count. */
  readonly problem: string | null;
  readonly steps: readonly Step[];
  readonly parts: readonly ShellPart[];
  /** What the script sets each name to; null for a value that is not one word. */
  readonly values: ReadonlyMap<string, readonly (ShellWord | null)[]>;
}

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
