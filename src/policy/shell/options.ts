import type { ShellWord } from "./words.ts";

/** How the options of one command are read. Names with their dashes; a single letter after one dash clusters. */
export interface OptionForm {
  /** Options whose value is text, glued, after `=`, or the next word. */
  readonly text: ReadonlySet<string>;
  /** The same for the name of a file that is read. */
  readonly file: ReadonlySet<string>;
  /** Letters whose value can only be glued, so that the rest of a cluster is no option. */
  readonly glued: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
}

export interface ReadWords {
  /** The first refused option as it is written, or null. */
  readonly refused: string | null;
  readonly operands: readonly ShellWord[];
  /** Values of options that name files. */
  readonly files: readonly string[];
  /** Values of options that are not known, and may name a file. */
  readonly unknown: readonly string[];
  readonly options: ReadonlySet<string>;
}

/** `-f:file --file:file -e:text -I:glued -o:refused`: one row of a table. */
export function optionForm(row: string): OptionForm {
  const form = {
    text: new Set<string>(),
    file: new Set<string>(),
    glued: new Set<string>(),
    refused: new Set<string>(),
  };
  for (const entry of row.split(/\s+/).filter(Boolean)) {
    const [name = "", kind] = entry.split(":");
    if (kind === "text" || kind === "file" || kind === "glued" || kind === "refused") form[kind].add(name);
    else throw new Error(`"${entry}" is no option of a table`);
  }
  return form;
}

/**
 * Takes the words after a command's name apart as getopt_long does: options anywhere before `--`, clustered,
 * with glued or following values, long names abbreviated. An abbreviation of a refused name is refused.
 */
export function readOptions(words: readonly ShellWord[], form: OptionForm): ReadWords {
  const read = {
    refused: null as string | null,
    operands: [] as ShellWord[],
    files: [] as string[],
    unknown: [] as string[],
    options: new Set<string>(),
  };
  const take = (name: string, value: string) => {
    if (form.file.has(name)) read.files.push(value);
    else if (!form.text.has(name) && !form.glued.has(name)) read.unknown.push(value);
  };
  let rest = words;
  while (rest.length > 0) {
    const [word, ...after] = rest;
    rest = after;
    if (!word) break;
    const { value } = word;
    if (value === "--") {
      read.operands.push(...after);
      break;
    }
    if (!value.startsWith("-") || value === "-") {
      read.operands.push(word);
      continue;
    }
    const { name, glued, refused } = value.startsWith("--")
      ? longOption(value, form)
      : shortOption(value, form);
    for (const one of name) read.options.add(one);
    if (refused) read.refused ??= value;
    const last = name.at(-1) ?? "";
    if (glued !== null) take(last, glued);
    else if (form.text.has(last) || form.file.has(last)) {
      const [next, ...others] = rest;
      if (next) take(last, next.value);
      rest = others;
    }
  }
  return read;
}

interface ReadOption {
  /** The option, or those of a cluster in order; only the last can have a value. */
  readonly name: readonly string[];
  readonly glued: string | null;
  readonly refused: boolean;
}

function longOption(word: string, form: OptionForm): ReadOption {
  const at = word.indexOf("=");
  const written = at < 0 ? word : word.slice(0, at);
  const known = [...form.text, ...form.file].filter((name) => name.startsWith("--"));
  const exact = known.includes(written);
  const refused =
    !exact && [...form.refused].some((name) => name.startsWith("--") && name.startsWith(written));
  const name = exact ? written : (known.find((one) => one.startsWith(written)) ?? written);
  return { name: [name], glued: at < 0 ? null : word.slice(at + 1), refused };
}

function shortOption(word: string, form: OptionForm): ReadOption {
  const name: string[] = [];
  let refused = false;
  for (let at = 1; at < word.length; at++) {
    const letter = `-${word[at]}`;
    name.push(letter);
    refused ||= form.refused.has(letter);
    const rest = word.slice(at + 1);
    const takes = form.text.has(letter) || form.file.has(letter) || form.glued.has(letter);
    if (takes) return { name, glued: rest === "" && !form.glued.has(letter) ? null : rest, refused };
    // Nobody knows whether this letter takes a value; what looks like a path is looked at as one.
    if (looksLikePath(rest)) return { name: [...name, "-?"], glued: rest, refused };
  }
  return { name, glued: null, refused };
}

/** A word that may lead out of the folder: from the root, from a home, or up (§5.6). */
export function looksLikePath(text: string): boolean {
  return /^[/~]/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text);
}
