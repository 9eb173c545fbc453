import type { ShellWord } from "./words.ts";

/** A call of git that loses what no undo brings back: its subcommand, and the words that make it so (§5.12). */
export interface GitDestruction {
  readonly subcommand: string;
  readonly words: readonly string[];
}

interface Danger {
  /** Letters and long names that destroy. */
  readonly letters: string;
  readonly longs: readonly string[];
  /** Letters that take a value, so that what follows them in a cluster is no letter. */
  readonly valued: string;
  /** Operands that destroy. */
  readonly operand?: (word: ShellWord, isDirectory: (path: string) => boolean) => boolean;
}

const none: Danger = { letters: "", longs: [], valued: "" };
const paths: Danger["operand"] = ({ value, pieces }, isDirectory) =>
  /^(?:\.{1,2}\/*|:\/?|:\(.*)$/.test(value) ||
  value.startsWith(":") ||
  /[*?[]/.test(value) ||
  pieces.some(({ type }) => type === "glob") ||
  value.endsWith("/") ||
  isDirectory(value);

const DANGERS: ReadonlyMap<string, Danger> = new Map([
  [
    "push",
    {
      letters: "fd",
      longs: ["force", "force-with-lease", "force-if-includes", "mirror", "delete", "prune"],
      valued: "o",
      operand: ({ value }: ShellWord) => /^[+:]/.test(value),
    },
  ],
  ["reset", { ...none, longs: ["hard", "keep"] }],
  ["checkout", { letters: "fB", longs: ["force"], valued: "b", operand: paths }],
  ["restore", { letters: "", longs: ["force"], valued: "s", operand: paths }],
  [
    "switch",
    { letters: "fC", longs: ["force", "force-create", "discard-changes"], valued: "c", operand: paths },
  ],
  ["branch", { letters: "DMCf", longs: ["force"], valued: "u" }],
  ["tag", { letters: "df", longs: ["delete", "force"], valued: "mFu" }],
  ["commit", { letters: "n", longs: ["amend"], valued: "mFCctSu" }],
  ["reflog", { ...none, operand: ({ value }: ShellWord) => value === "expire" || value === "delete" }],
  ["gc", { ...none, longs: ["prune"] }],
  ["stash", { ...none, operand: ({ value }: ShellWord) => value === "drop" || value === "clear" }],
]);
/** Where the subcommand itself destroys. */
const WHOLE = /^(?:rebase|filter-.*|replace|update-ref)$/;
/** git's own options that take the next word. */
const VALUED = /^(?:-C|-c|--(?:git-dir|work-tree|namespace|exec-path|super-prefix|config-env|attr-source))$/;

/** The words after `git`; null: nothing in them destroys. Options count clustered and abbreviated. */
export function findDestruction(
  words: readonly ShellWord[],
  isDirectory: (path: string) => boolean,
): GitDestruction | null {
  let at = 0;
  while (words[at]?.value.startsWith("-")) at += VALUED.test(words[at]?.value ?? "") ? 2 : 1;
  const subcommand = words[at]?.value ?? "";
  const rest = words.slice(at + 1);
  const given = (found: readonly string[]): GitDestruction | null =>
    found.length === 0 ? null : { subcommand, words: found };
  if (WHOLE.test(subcommand)) return given([subcommand]);
  if (subcommand === "clean") return rest.some(isDryRun) ? null : given([subcommand]);
  const danger = DANGERS.get(subcommand) ?? none;
  const end = rest.findIndex(({ value }) => value === "--");
  const found = rest.filter((word, index) => {
    const { value } = word;
    if (end >= 0 && index >= end) return index > end && (danger.operand?.(word, isDirectory) ?? false);
    if (value.startsWith("--")) return isDangerousLong(value, [...danger.longs, "no-verify"]);
    if (/^-./.test(value)) return hasLetter(value, danger);
    return danger.operand?.(word, isDirectory) ?? false;
  });
  return given(found.map(({ value }) => value));
}

function isDryRun({ value }: ShellWord): boolean {
  return value === "--dry-run" || /^-[a-df-zA-Z]*n/.test(value);
}

function isDangerousLong(value: string, longs: readonly string[]): boolean {
  const name = value.slice(2).replace(/=.*/s, "");
  return name !== "" && longs.some((long) => long.startsWith(name));
}

function hasLetter(value: string, { letters, valued }: Danger): boolean {
  for (const letter of value.slice(1)) {
    if (letters.includes(letter)) return true;
    if (valued.includes(letter)) return false;
  }
  return false;
}
