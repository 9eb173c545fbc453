import { lazy } from "../../lib/lazy.ts";

/** What the operands of a command are, by the letter at the head of its row. Behind a pattern or a script come files. */
const OPERANDS = {
  F: "files",
  R: "pattern",
  S: "script",
  T: "text",
  N: "numbers",
  /** At most one file: a second one would be written. */
  1: "one",
  0: "none",
} as const;

export type Operands = (typeof OPERANDS)[keyof typeof OPERANDS];

/** What an option does with its value, by the letter behind `:` or `?`: R searches, P reads, W writes, X starts it. */
const KINDS = {
  "": "text",
  N: "number",
  R: "pattern",
  P: "path",
  W: "write",
  X: "program",
  /** Takes two words. */
  2: "pair",
} as const;

export interface ProgramOption {
  /** `acts`: it writes or starts something itself. */
  readonly kind: "flag" | "acts" | (typeof KINDS)[keyof typeof KINDS];
  /** Whether it is part of plain reading (§5.6). */
  readonly plain: boolean;
  /** The value can only be glued, or follow `=`. */
  readonly optional: boolean;
  /** It gives the pattern or the script, so that no operand does. */
  readonly replacesFirst: boolean;
}

/** How one command is read: one row of a table. */
export interface Row {
  readonly operands: Operands;
  readonly letters: ReadonlyMap<string, ProgramOption>;
  /** By long name without its dashes. */
  readonly longs: ReadonlyMap<string, ProgramOption>;
  /** `-5`, if that is an option of it. */
  readonly digits: ProgramOption | undefined;
  /** Letters of a cluster take their values from the words that follow, one after the other. */
  readonly valuesFollow: boolean;
  /** Letters do not cluster. */
  readonly alone: boolean;
  /** The first operand ends the options. */
  readonly inOrder: boolean;
  /** Not part of plain reading: only a confinement runs it (§5.7). */
  readonly confinedOnly: boolean;
}

const TOKEN = /^([^/:?!*]?)((?:\/[\w.-]+)*)(?:([:?])([NRPWX2]?))?(!?)(\*?)$/;

/**
 * Reads one row: the operands' letter, the options of plain reading, and after `|` the others that are known. An option
 * is a letter with its long names: `n/lines:N` takes a number, `/color?` may have a value after `=`, `i/in-place!` acts,
 * `e/regexp:R*` stands for the first operand. `#` is `-5`; `+F` marks a row for confinements only, `F^` one whose
 * clusters take values from the words that follow, `F<` one whose options end at the first operand, `F-` one whose
 * letters do not cluster. Throws for a row it does not understand.
 */
export function readRow(text: string): Row {
  const [head = "", ...tokens] = text.split(/\s+/).filter(Boolean);
  const operands = new Map<string, Operands>(Object.entries(OPERANDS)).get(head.replace(/[+^<-]/g, ""));
  if (operands === undefined) throw new Error(`"${head}" is not a kind of operands`);
  const [letters, longs] = [new Map<string, ProgramOption>(), new Map<string, ProgramOption>()];
  const bar = tokens.indexOf("|");
  for (const [at, token] of tokens.entries()) {
    if (token === "|") continue;
    const [matched, letter = "", names = "", value, kind = "", acts, first] = TOKEN.exec(token) ?? [];
    if (matched === undefined) throw new Error(`"${token}" is not an option of a row`);
    const option: ProgramOption = {
      kind: acts ? "acts" : value === undefined ? "flag" : KINDS[kind as keyof typeof KINDS],
      plain: bar < 0 || at < bar,
      optional: value === "?" || acts !== "",
      replacesFirst: first !== "",
    };
    if (letter !== "") letters.set(letter, option);
    for (const name of names.split("/").filter(Boolean)) longs.set(name, option);
  }
  const digits = letters.get("#");
  letters.delete("#");
  const has = (mark: string) => head.includes(mark);
  const order = { valuesFollow: has("^"), alone: has("-"), inOrder: has("<") };
  return { operands, letters, longs, digits, ...order, confinedOnly: has("+") };
}

/** Rows by command. */
export interface Table {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Throws for a row that is not understood. */
  get(name: string): Row | undefined;
}

/** Reads a table of rows, each when it is first asked for; a name may be several commands: `grep, egrep, fgrep`. */
export function readTable(rows: Readonly<Record<string, string>>): Table {
  const found = new Map(
    Object.entries(rows).flatMap(([names, text]) => {
      const row = lazy(() => readRow(text));
      return names.split(", ").map((name) => [name, row] as const);
    }),
  );
  return {
    names: [...found.keys()],
    has: (name) => found.has(name),
    get: (name) => found.get(name)?.(),
  };
}
