import type { Option, Row } from "./rows.ts";
import { literalWord, type ShellWord } from "./words.ts";

export interface OptionValue {
  readonly option: Option;
  readonly word: ShellWord;
  /** How it is given: as a word of its own, behind a `=`, or behind its letter. */
  readonly form: "word" | "equals" | "letter";
}

/** The words after a command's name, taken apart by its row. */
export type ReadWords = Readonly<Omit<Reader, "long" | "cluster">>;

const PATH: Option = { kind: "path", plain: false, optional: false, replacesFirst: false };
const ACTING: ReadonlySet<Option["kind"]> = new Set(["write", "acts"]);

/**
 * Takes words apart as getopt_long does: options up to `--`, clusters, values that are glued or follow, abbreviated
 * long names. `inOrder`: the first operand ends the options, as in a wrapper.
 */
export function readOptions(words: readonly ShellWord[], row: Row, inOrder = row.inOrder): ReadWords {
  const reader = new Reader(row);
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const { value } = word;
    if (value === "--") {
      at += 1;
      break;
    }
    const isNumber = row.operands === "numbers" && /^-\d+(?:\.\d+)?$/.test(value);
    if (!value.startsWith("-") || value === "-" || isNumber) {
      if (inOrder) break;
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
  /** Why they do not fit what plain reading grants; null: they do. */
  misfit: string | null = null;
  /** Options that write, or that may turn out to, as they are written. */
  readonly acting: string[] = [];
  /** Every option is known, so that operands and values are told apart. */
  understood = true;
  /** A long name was not written out. */
  abbreviated = false;
  /** Letters and long names that were given; `*`: one that stands for the first operand. */
  readonly options = new Map<string, Option>();
  readonly operands: ShellWord[] = [];
  readonly values: OptionValue[] = [];
  /** What may be a value all the same: text behind each letter of a cluster, or behind the `=` of what is not known. */
  readonly glued: ShellWord[] = [];
  readonly #row: Row;

  constructor(row: Row) {
    this.#row = row;
  }

  /** Answers how many of the words behind it are its value. */
  long(word: ShellWord, next: readonly ShellWord[]): number {
    const { longs, anyLong } = this.#row;
    const equals = word.value.indexOf("=");
    const written = word.value.slice(2, equals < 0 ? undefined : equals);
    const glued = equals < 0 ? null : part(word, equals + 1);
    const exact = longs.get(written);
    const meant = exact
      ? [[written, exact] as const]
      : [...longs].filter(([name]) => name.startsWith(written));
    if (meant.some(([, { kind }]) => ACTING.has(kind))) this.acting.push(word.value);
    const [known] = meant;
    // Several abbreviated names may be one option.
    if (known === undefined || meant.some(([, option]) => option !== known[1])) {
      if (glued) this.glued.push(glued);
      if (!anyLong || !/^[a-z][a-z-]*$/.test(written)) this.#unknown(word.value);
      return 0;
    }
    const [name, option] = known;
    this.#given(name, option);
    this.abbreviated ||= exact === undefined;
    if (!exact || !option.plain) this.#misfit(word.value);
    if (option.kind === "pair") {
      const [, second] = next;
      if (second) this.values.push({ option: PATH, word: second, form: "word" });
      return this.#take(option, next[0], "word") + 1;
    }
    if (option.kind === "flag" || option.optional) {
      if (glued && option.kind === "flag") this.#misfit(word.value);
      if (glued) this.#value(option, glued, "equals");
      return 0;
    }
    return glued ? this.#take(option, glued, "equals") : this.#take(option, next[0], "word");
  }

  cluster(word: ShellWord, next: readonly ShellWord[]): number {
    const { letters, digits, valuesFollow } = this.#row;
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
      this.#given(letter, option);
      if (!option.plain) this.#misfit(value);
      if (ACTING.has(option.kind)) this.acting.push(value);
      if (this.#row.alone && option.kind === "flag") {
        // What follows the letter is passed over.
        if (rest.value !== "") this.#misfit(value);
        return 0;
      }
      if (option.kind === "flag") continue;
      if (option.optional) {
        if (rest.value !== "") this.#value(option, rest, "letter");
        return used;
      }
      if (valuesFollow) {
        if (rest.value !== "" || at > 1) this.#misfit(value);
        used += this.#take(option, next[used], "word");
        continue;
      }
      return rest.value === "" ? this.#take(option, next[0], "word") : this.#take(option, rest, "letter");
    }
    return used;
  }

  /** Words of values of these kinds. */
  valuesOf(...kinds: readonly Option["kind"][]): readonly ShellWord[] {
    return this.values.filter(({ option }) => kinds.includes(option.kind)).map(({ word }) => word);
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

  #given(name: string, option: Option): void {
    this.options.set(name, option);
    if (option.replacesFirst) this.options.set("*", option);
  }

  /** Answers how many words it takes. */
  #take(option: Option, word: ShellWord | undefined, form: OptionValue["form"]): number {
    if (word === undefined) this.#misfit("an option without its value");
    else this.#value(option, word, form);
    // Another reader could take it for an option.
    if (form === "word" && word && /^-[A-Za-z]/.test(word.value) && this.#mayAct(word.value))
      this.acting.push(word.value);
    return form === "word" ? 1 : 0;
  }

  #value(option: Option, word: ShellWord, form: OptionValue["form"]): void {
    this.values.push({ option, word, form });
    if (option.kind === "number" && !isNumber(word.value)) this.misfit ??= `"${word.value}" is not a number`;
  }

  #mayAct(value: string): boolean {
    return [...value.slice(1)].some((letter) => ACTING.has(this.#row.letters.get(letter)?.kind ?? "flag"));
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

/** A number with its sign and unit: `+5`, `10k`, `1MiB`, `0.5s`. */
export function isNumber(text: string): boolean {
  return /^[+-]?\d+(?:\.\d+)?(?:[bcwkKMGTPEZY]i?B?|[smhd])?$/.test(text);
}

/** The rest of a word; what is not known in it stays unknown. */
function part(word: ShellWord, from: number): ShellWord {
  const value = word.value.slice(from);
  return word.literal ? literalWord(value) : { ...word, value, raw: value };
}
