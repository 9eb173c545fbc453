import type { ProgramOption, Row } from "./rows.ts";
import { literalWord, type ShellWord } from "./script.ts";

export interface OptionValue {
  readonly option: ProgramOption;
  readonly word: ShellWord;
  /** How it is given: as a word of its own, behind a `=`, or behind its letter. */
  readonly form: "word" | "equals" | "letter";
}

/** The words after a command's name, taken apart by its row. */
export type ReadWords = Readonly<Omit<Reader, "long" | "cluster">>;

const PATH: ProgramOption = { kind: "path", plain: false, optional: false, replacesFirst: false };
const ACTING: ReadonlySet<ProgramOption["kind"] | undefined> = new Set(["write", "acts"]);

/** Takes words apart as getopt_long does: clusters, values that are glued or follow, abbreviated long names, `--`. */
export function readOptions(words: readonly ShellWord[], row: Row): ReadWords {
  const reader = new Reader(row);
  let at = 0;
  for (let word = words[at]; word !== undefined; word = words[++at]) {
    const { value } = word;
    if (value === "--") {
      at += 1;
      break;
    }
    const isNumber = row.operands === "numbers" && /^-\d+(?:\.\d+)?$/.test(value);
    if (!value.startsWith("-") || value === "-" || isNumber) {
      if (row.inOrder) break;
      reader.operands.push(word);
      continue;
    }
    const next = words.slice(at + 1, at + 12);
    at += value.startsWith("--") ? reader.long(word, next) : reader.cluster(word, next);
  }
  reader.operands.push(...words.slice(at));
  return reader;
}

class Reader {
  /** Why they do not fit what plain reading grants; null if they do. */
  misfit: string | null = null;
  /** Options that write, or that may turn out to, as they are written. */
  readonly acting: string[] = [];
  /** True if every option is known, so that operands and values can be distinguished. */
  understood = true;
  /** True if a long name was not written out. */
  abbreviated = false;
  /** By letter or long name; `*` is one that stands for the first operand. */
  readonly options = new Map<string, ProgramOption>();
  readonly operands: ShellWord[] = [];
  readonly values: OptionValue[] = [];
  /** What may be a value all the same: text behind a letter of a cluster, or behind the `=` of what is not known. */
  readonly glued: ShellWord[] = [];
  readonly #row: Row;

  constructor(row: Row) {
    this.#row = row;
  }

  /** Returns how many of the words behind it are its value. */
  long(word: ShellWord, next: readonly ShellWord[]): number {
    const { longs } = this.#row;
    const equals = word.value.indexOf("=");
    const written = word.value.slice(2, equals < 0 ? undefined : equals);
    const glued = equals < 0 ? null : part(word, equals + 1);
    const exact = longs.get(written);
    const matches = exact
      ? [[written, exact] as const]
      : [...longs].filter(([name]) => name.startsWith(written));
    const [known] = matches;
    // Several abbreviated names may be one option.
    if (known === undefined || matches.some(([, option]) => option !== known[1])) {
      if (matches.some(([, { kind }]) => ACTING.has(kind))) this.acting.push(word.value);
      if (glued) this.glued.push(glued);
      this.#unknown(word.value);
      return 0;
    }
    const [name, option] = known;
    this.#given(name, option, word.value);
    this.abbreviated ||= exact === undefined;
    if (!exact || (glued && option.kind === "flag")) this.#misfit(word.value);
    if (option.kind === "flag" || option.optional) {
      if (glued) this.#value(option, glued, "equals");
      return 0;
    }
    if (option.kind === "pair")
      return this.#take(option, next[0], "word") + this.#take(PATH, next[1], "word");
    return glued ? this.#take(option, glued, "equals") : this.#take(option, next[0], "word");
  }

  cluster(word: ShellWord, next: readonly ShellWord[]): number {
    const { letters, digits, valuesFollow, alone } = this.#row;
    const { value } = word;
    if (digits && /^-\d+$/.test(value)) {
      if (!digits.plain) this.#misfit(value);
      return 0;
    }
    let used = 0;
    for (let at = 1; at < value.length; at++) {
      const letter = value.charAt(at);
      const rest = part(word, at + 1);
      if (rest.value !== "") this.glued.push(rest);
      const option = letters.get(letter);
      if (option === undefined) {
        this.#unknown(value);
        // Whether it takes the rest as its value is not known, so each letter behind it counts.
        continue;
      }
      this.#given(letter, option, value);
      if (option.kind === "flag") {
        if (!alone) continue;
        // What follows the letter is passed over.
        if (rest.value !== "") this.#misfit(value);
        return 0;
      }
      if (option.optional) {
        if (rest.value !== "") this.#value(option, rest, "letter");
        return used;
      }
      if (!valuesFollow)
        return rest.value === "" ? this.#take(option, next[0], "word") : this.#take(option, rest, "letter");
      if (rest.value !== "" || at > 1) this.#misfit(value);
      used += this.#take(option, next[used], "word");
    }
    return used;
  }

  /** Words of values of one kind. */
  valuesOf(kind: ProgramOption["kind"]): readonly ShellWord[] {
    return this.values.flatMap(({ option, word }) => (option.kind === kind ? [word] : []));
  }

  /** Words of values of one option, by its letter or long name. */
  valuesFor(name: string): readonly ShellWord[] {
    const wanted = this.options.get(name);
    return this.values.flatMap(({ option, word }) => (option === wanted ? [word] : []));
  }

  /** The operands behind a pattern or a script, unless an option gives that. */
  get afterFirst(): readonly ShellWord[] {
    return this.options.has("*") ? this.operands : this.operands.slice(1);
  }

  /** The pattern or the script. */
  get first(): readonly ShellWord[] {
    const given = this.values.filter(({ option }) => option.replacesFirst).map(({ word }) => word);
    return given.length > 0 ? given : this.operands.slice(0, 1);
  }

  #given(name: string, option: ProgramOption, written: string): void {
    this.options.set(name, option);
    if (option.replacesFirst) this.options.set("*", option);
    if (!option.plain) this.#misfit(written);
    if (ACTING.has(option.kind)) this.acting.push(written);
  }

  /** Returns how many words it takes. */
  #take(option: ProgramOption, word: ShellWord | undefined, form: OptionValue["form"]): number {
    if (word === undefined) this.#misfit("an option without its value");
    else this.#value(option, word, form);
    if (form !== "word") return 0;
    // Another reader could take it for an option.
    const letters = /^-([A-Za-z].*)/s.exec(word?.value ?? "")?.[1] ?? "";
    if ([...letters].some((letter) => ACTING.has(this.#row.letters.get(letter)?.kind)))
      this.acting.push(word?.value ?? "");
    return 1;
  }

  #value(option: ProgramOption, word: ShellWord, form: OptionValue["form"]): void {
    this.values.push({ option, word, form });
    if (option.kind === "number" && !isNumber(word.value)) this.misfit ??= `"${word.value}" is not a number`;
  }

  #misfit(written: string): void {
    this.misfit ??= `${written} is not an option that is known only to read`;
  }

  #unknown(written: string): void {
    this.#misfit(written);
    this.understood = false;
  }
}

export function actingProblem({ acting: [first] }: ReadWords): string | null {
  return first === undefined ? null : `${first} may write a file`;
}

/** True for a number with its sign and unit: `+5`, `10k`, `1MiB`, `0.5s`. */
export function isNumber(text: string): boolean {
  return /^[+-]?\d+(?:\.\d+)?(?:[bcwkKMGTPEZY]i?B?|[smhd])?$/.test(text);
}

/** The rest of a word; what is not known in it stays unknown. */
function part(word: ShellWord, from: number): ShellWord {
  const value = word.value.slice(from);
  return word.literal ? literalWord(value) : { ...word, value, raw: value };
}
