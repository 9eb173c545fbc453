import type { ShellPart } from "../shell/script.ts";
import type { ShellWord } from "../shell/words.ts";
import { unwrapped } from "../shell/wrappers.ts";

/** Commands without options that write or run, so that any word may be given to them. */
const FED: ReadonlySet<string> = new Set(
  "ls cat head tail wc nl rev cut paste comm diff cmp stat du df realpath readlink grep egrep fgrep md5sum sha1sum sha256sum cksum od hexdump".split(
    " ",
  ),
);
/** These have such options, but names that find found begin with its own folders and so never with a dash. */
const NAMED: ReadonlySet<string> = new Set(["sed", "sort", "rg", "file", "tree", "strings"]);
const FILTERS: ReadonlySet<string> = new Set(["sort", "uniq", "head", "tail", "grep", "egrep", "fgrep"]);

/** Whether a command stays what it is whatever words of these xargs gives it. */
export function mayBeFed(name: string, before: readonly ShellPart[] | null): boolean {
  const source = unwrapped(before?.[0]?.words ?? []).words[0]?.value;
  return FED.has(name) || (source === "find" && NAMED.has(name));
}

/** The names that a pipeline hands over as far as they are written in it; null where they may be anything. */
export function namesOf(before: readonly ShellPart[]): readonly ShellWord[] | null {
  const [source, ...filters] = before.map(({ words }) => unwrapped(words).words);
  if (
    !source ||
    !filters.every(
      (words) => FILTERS.has(words[0]?.value ?? "") && !words.some(({ value }) => /^-\w*o/.test(value)),
    )
  )
    return null;
  const [name, ...words] = source;
  switch (name?.value) {
    case "echo":
      return words.every(({ literal }) => literal) ? words : null;
    case "ls":
      return [];
    case "find":
      return words.some(({ value }) => value === "-printf") ? null : [];
    case "git":
      return words[0]?.value === "ls-files" || words.some(({ value }) => value === "--name-only") ? [] : null;
    case "rg":
    case "grep":
      return words.some(({ value }) => /^-\w*[lL]\w*$|^--files/.test(value)) ? [] : null;
    default:
      return null;
  }
}
