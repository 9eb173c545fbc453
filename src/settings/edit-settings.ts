import { readFile, realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { isObject, valueAt } from "./json.ts";
import type { SettingsPlace } from "./places.ts";
import { isForeign } from "./places.ts";
import { readBounded } from "./read-bounded.ts";
import { replaceFile } from "./replace-file.ts";
import { readSettingsText, withoutMark } from "./settings-text.ts";

export type Edited = { readonly type: "edited" } | { readonly type: "refused"; readonly reason: string };

/**
 * Sets one value in a settings file, which is made where it is missing; undefined takes the value out. Comments,
 * unknown keys and the file's own indentation stay (A18.4). A broken file is left as it is. `root` is the
 * project's: nothing is written outside it through a link that the folder brings with it.
 */
export async function editSettings(
  place: SettingsPlace,
  root: string,
  path: readonly string[],
  value: unknown,
): Promise<Edited> {
  const file = await whereItIs(place, root);
  if (file === null)
    return refused(`${place.file} leads out of ${root} through a link, so it was not changed.`);
  const read = readBounded(file);
  if (read.type === "unreadable") return refused(`${file} ${read.problem}, so it was not changed.`);
  const before = read.type === "text" ? read.text : "";
  const edit = await edited(before.trim() === "" ? "{}\n" : before, path, value);
  if ("problem" in edit) return refused(`${file}: ${edit.problem}; correct it first. It was not changed.`);
  // A moment before it is replaced: somebody else's change must not be lost.
  const now = read.type === "text" ? await readFile(file, "utf8").catch(() => null) : before;
  if (now !== before) return refused(`${file} was changed by something else at this very moment; try again.`);
  const problem = await replaceFile(file, edit.text, 0o600);
  return problem === null ? { type: "edited" } : refused(problem);
}

async function edited(
  text: string,
  path: readonly string[],
  value: unknown,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const parsed = await readSettingsText(text);
  if (parsed.type === "broken") return { problem: parsed.problem };
  for (let length = 1; length < path.length; length++) {
    const above = valueAt(parsed.value, path.slice(0, length));
    if (above !== undefined && !isObject(above))
      return { problem: `${path.slice(0, length).join(".")} must be an object` };
  }
  const { applyEdits, modify } = await import("jsonc-parser");
  const plain = withoutMark(text);
  const edits = modify(plain, [...path], value, { formattingOptions: formattingOf(plain) });
  const mark = text.slice(0, text.length - plain.length);
  return { text: mark + applyEdits(plain, edits) };
}

function formattingOf(text: string) {
  const indent = /\n([\t ]+)\S/.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

/** The file itself where a person's own is a link (people keep theirs elsewhere); null where it leads too far. */
async function whereItIs({ scope, file }: SettingsPlace, root: string): Promise<string | null> {
  const real = await realpath(file).catch(() => null);
  if (!isForeign(scope)) return real ?? file;
  const inside = await realpath(root).catch(() => root);
  const reached = real ?? (await realpath(dirname(file)).catch(() => inside));
  return reached === inside || reached.startsWith(`${inside}${sep}`) ? (real ?? file) : null;
}

function refused(reason: string): Edited {
  return { type: "refused", reason };
}
