import type { Option, Row } from "./rows.ts";
import { literalWord, type ShellWord } from "./words.ts";

export interface OptionValue {
  readonly option: Option;
  readonly word: ShellWord;
  /** How it is given: as a word of its own, behind a `=`, or behind its letter. */
  readonly form: "word" | "equals" | "letter";
}

/** The words after a command's name, taken apart by its row. */
export interface ReadWords {
  /** Why they do not fit what plain reading grants; null: they do. */
  readonly misfit: string | null;
  /** The first option that writes, or that may turn out to. */
  readonly acts: string | null;
  /** Letters and long names that were given. */
  readonly options: ReadonlySet<string>;
  readonly operands: readonly ShellWord[];
  readonly values: readonly OptionValue[];
  /** What may be a value all the same: text behind each letter of a cluster, or behind the `=` of what is not known. */
  readonly glued: readonly ShellWord[];
  /** A long name was not written out. */
  readonly abbreviated: boolean;
  /** Every option is known, so that operands and values are told apart. */
  readonly understood: boolean;
}

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

class Reader implements ReadWords {
  misfit: string | null = null;
  acts: string | null = null;
  understood = true;
  abbreviated = false;
  readonly options = new Set<string>();
  readonly operands: ShellWord[] = [];
  readonly values: OptionValue[] = [];
  readonly glued: ShellWord[] = [];
  readonly #row: Row;

  constructor(row: Row) {
    this.#row = row;
  }

  /** Answers how many of the words behind it are its value. */
  long(word: ShellWord, next: readonly ShellWord[]): number {
    const { longs } = this.#row;
    const equals = word.value.indexOf("=");
    const written = word.value.slice(2, equals < 0 ? undefined : equals);
    const glued = equals < 0 ? null : part(word, equals + 1);
    const exact = longs.get(written);
    const meant = exact
      ? [[written, exact] as const]
      : [...longs].filter(([name]) => name.startsWith(written));
    const acting = meant.find(([, { kind }]) => ACTING.has(kind));
    if (acting) this.#act(word.value);
    const [first] = meant;
    // Several abbreviated names may be one option.
    const known = first !== undefined && meant.every(([, option]) => option === first[1]) ? first : undefined;
    if (known === undefined && this.#row.anyLong && /^[a-z][a-z-]*$/.test(written)) {
      if (glued) this.glued.push(glued);
      return 0;
    }
    if (known === undefined) {
      if (glued) this.glued.push(glued);
      this.#misfit(word.value);
      this.understood = false;
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
    if (digits && /^-\d+$/.test(value)) return 0;
    let used = 0;
    for (let at = 1; at < value.length; at++) {
      const letter = value.charAt(at);
      const rest = part(word, at + 1);
      if (rest.value !== "") this.glued.push(rest);
      const option = letters.get(letter);
      if (option === undefined) {
        this.#misfit(value);
        this.understood = false;
        // Whether it takes the rest as its value is not known, so each letter behind it counts.
        continue;
      }
      this.#given(letter, option);
      if (!option.plain) this.#misfit(value);
      if (ACTING.has(option.kind)) this.#act(value);
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

  #given(name: string, { replacesFirst }: Option): void {
    this.options.add(name);
    if (replacesFirst) this.options.add("*");
  }

  /** Answers how many words it takes. */
  #take(option: Option, word: ShellWord | undefined, form: OptionValue["form"]): number {
    if (word === undefined) this.#misfit("an option without its value");
    else this.#value(option, word, form);
    // Another reader could take it for an option.
    if (form === "word" && word && /^-[A-Za-z]/.test(word.value) && this.#mayAct(word.value))
      this.#act(word.value);
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

  #act(written: string): void {
    this.acts ??= `${written} may write a file`;
  }
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
