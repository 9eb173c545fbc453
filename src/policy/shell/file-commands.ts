import { type OptionForm, optionForm, readOptions } from "./options.ts";
import { readSed } from "./read-only.ts";
import { sedDoesOnly } from "./sed-script.ts";
import { refuse, type Uses } from "./uses.ts";
import type { ShellWord } from "./words.ts";

/** How the options of the workspace's file commands are read (§5.7). */
const FORMS: Readonly<Record<string, OptionForm>> = {
  mkdir: optionForm("-m:text --mode:text -Z:glued --context:text"),
  touch: optionForm("-d:text --date:text -t:text -r:file --reference:file --time:text"),
  rm: optionForm("--interactive:text"),
  rmdir: optionForm(""),
  mv: optionForm("-t:file --target-directory:file -S:text --suffix:text --backup:text"),
  cp: optionForm("-t:file --target-directory:file -S:text --suffix:text --backup:text"),
};

/**
 * What mkdir, touch, rm, rmdir, mv, cp and sed -i read and write; null where the command is none of them.
 */
export function fileCommandUses(words: readonly ShellWord[]): Uses | null {
  const [command, ...rest] = words;
  if (!command?.literal) return null;
  const found = command.value === "sed" ? sedWrites(rest) : fileWrites(command.value, rest);
  const unknown = rest.find(({ literal }) => !literal);
  if (found === null || unknown === undefined) return found;
  return { ...found, why: found.why ?? `${unknown.raw} is not known before it runs` };
}

function fileWrites(name: string, words: readonly ShellWord[]): Uses | null {
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (!form) return null;
  const { operands, files, unknown } = readOptions(words, form);
  const names = operands.map(({ value }) => value);
  if (names.length + files.length === 0) return refuse(`${name} has nothing to work on`);
  // cp only reads its sources; mv takes them away.
  const sources = name !== "cp" ? 0 : files.length > 0 ? names.length : names.length - 1;
  return {
    why: null,
    reads: names.slice(0, sources),
    writes: [...names.slice(sources), ...files, ...unknown],
  };
}

function sedWrites(words: readonly ShellWord[]): Uses | null {
  const { why, script, files, options } = readSed(words);
  if (!options.has("-i")) return null;
  if (why !== null) return refuse(why, [], files);
  if (!sedDoesOnly(script, "edit"))
    return refuse("its sed script may read or write other files, or run a command", [], files);
  return files.length === 0 ? refuse("sed has no file to change") : { why: null, reads: [], writes: files };
}
