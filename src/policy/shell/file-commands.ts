import { commandTable, fileCommandTable } from "./command-table.ts";
import { readOptions } from "./read-options.ts";
import { sedDoesOnly } from "./sed-script.ts";
import type { ShellWord } from "./words.ts";

/** What mkdir, touch, rm, rmdir, mv, cp and `sed -i` read and write (§5.8); null for any other command. */
export function fileCommandUses(words: readonly ShellWord[]): FileUses | null {
  const [command, ...rest] = words;
  if (!command?.literal) return null;
  const name = command.value;
  const unknown = rest.find(({ literal }) => !literal);
  const whyUnknown = unknown ? `${unknown.raw} is not known before it runs` : null;
  if (name === "sed") return sedWrites(rest, whyUnknown);
  const row = fileCommandTable.get(name);
  if (row === undefined) return null;
  const read = readOptions(rest, row);
  const targets = read.values.filter(({ option }) => option.kind === "write").map(({ word }) => word.value);
  const files = read.values.filter(({ option }) => option.kind === "path").map(({ word }) => word.value);
  const names = read.operands.map(({ value }) => value);
  const moves = name === "cp" || name === "mv";
  const sources = !moves ? [] : targets.length > 0 ? names : names.slice(0, -1);
  const into = moves && targets.length === 0 ? names.slice(-1) : targets;
  const why = whyUnknown ?? read.misfit ?? (names.length === 0 ? `${name} has nothing to work on` : null);
  return {
    name,
    why,
    reads: [...(name === "cp" ? sources : []), ...files],
    writes: moves ? [...(name === "mv" ? sources : []), ...into] : names,
    placed: moves ? { sources, into } : null,
    candidates: [
      ...names,
      ...read.values.map(({ word }) => word.value),
      ...read.glued.map(({ value }) => value),
    ],
  };
}

/** What a file command does; its paths are as written. */
export interface FileUses {
  readonly name: string;
  /** Why it is more than its row allows; null: it is not. */
  readonly why: string | null;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Of cp and mv: what comes where. */
  readonly placed: { readonly sources: readonly string[]; readonly into: readonly string[] } | null;
  readonly candidates: readonly string[];
}

function sedWrites(words: readonly ShellWord[], whyUnknown: string | null): FileUses | null {
  const row = commandTable.get("sed");
  if (row === undefined) return null;
  const read = readOptions(words, row);
  if (!read.options.has("i") && !read.options.has("in-place")) return null;
  const known = read.values.filter(({ option }) => option.kind !== "acts");
  const given = known.filter(({ option }) => option.replacesFirst).map(({ word }) => word.value);
  const names = read.operands.map(({ value }) => value);
  const files = given.length > 0 ? names : names.slice(1);
  const script = given.length > 0 ? given.join("\n") : (names[0] ?? "");
  const plain =
    [...read.options].every((option) => SED_EDITS.has(option)) && read.understood && !read.abbreviated;
  const why =
    whyUnknown ??
    (plain ? null : "sed has an option that is not known only to edit") ??
    (known.length < read.values.length ? "sed -i would keep a copy under another name" : null) ??
    (sedDoesOnly(script, "edit") ? null : "its sed script may read or write other files, or run a command") ??
    (files.length === 0 ? "sed has no file to change" : null);
  const candidates = [
    ...names,
    ...read.values.map(({ word }) => word.value),
    ...read.glued.map(({ value }) => value),
  ];
  return { name: "sed", why, reads: [], writes: files, placed: null, candidates };
}

const SED_EDITS = new Set(
  "n quiet silent E regexp-extended r s separate u unbuffered z null-data e expression i in-place *".split(
    " ",
  ),
);
