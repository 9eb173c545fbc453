import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { readRegularFile, replaceFile } from "../lib/files.ts";
import { isObject, valueAt } from "../lib/json.ts";
import { isPathInside } from "../lib/paths.ts";
import { isProjectScope, type SettingsPath } from "./paths.ts";
import { parseSettings, withoutMark } from "./settings-text.ts";

/**
 * Sets one value in a settings file, which is created if it is missing; undefined removes the value. Comments, unknown
 * keys and the file's indentation stay (A18.4). A broken file stays as it is. Nothing is written outside the project's
 * `root` through a link that came with it. Returns why nothing was written, or null.
 */
export function editSettings(
  from: SettingsPath,
  root: string,
  path: readonly string[],
  value: unknown,
): Promise<string | null> {
  return changeFile(from, root, path, (modify) => modify(path, value));
}

/** Adds texts to a list of texts, as `editSettings` does; those that it has already are not added again. */
export function addToList(
  from: SettingsPath,
  root: string,
  path: readonly string[],
  texts: readonly string[],
): Promise<string | null> {
  return changeFile(from, root, path, (modify, known) => {
    if (known === undefined) return modify(path, texts);
    if (!Array.isArray(known)) return { problem: `${path.join(".")} must be a list` };
    for (const text of texts) if (!known.includes(text)) modify([...path, -1], text);
    return null;
  });
}

type Modify = (path: readonly (string | number)[], value: unknown) => null;
type Change = (modify: Modify, known: unknown) => { readonly problem: string } | null;

async function changeFile(
  from: SettingsPath,
  root: string,
  path: readonly string[],
  change: Change,
): Promise<string | null> {
  const file = await resolveFile(from, root);
  if (file === null) return `${from.file} leads out of ${root} through a link, so it was not changed.`;
  const read = readRegularFile(file);
  if (read.type === "unreadable") return `${file} ${read.problem}, so it was not changed.`;
  const before = read.type === "read" ? read.bytes.toString() : "";
  const edit = await editText(before.trim() === "" ? "{}\n" : before, path, change);
  if ("problem" in edit) return `${file}: ${edit.problem}; correct it first. It was not changed.`;
  // Again just before it is replaced: another program's change must not be lost.
  const now = readRegularFile(file);
  const isSame = now.type === read.type && (now.type !== "read" || now.bytes.toString() === before);
  if (!isSame) return `${file} was changed by another program at this very moment; try again.`;
  return await replaceFile(file, edit.text, 0o600);
}

async function editText(
  text: string,
  path: readonly string[],
  change: Change,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const parsed = await parseSettings(text);
  if (parsed.type === "broken") return { problem: parsed.problem };
  for (let length = 1; length < path.length; length++) {
    const above = valueAt(parsed.value, path.slice(0, length));
    if (above !== undefined && !isObject(above))
      return { problem: `${path.slice(0, length).join(".")} must be an object` };
  }
  const { applyEdits, modify } = await import("jsonc-parser");
  let plain = withoutMark(text);
  const mark = text.slice(0, text.length - plain.length);
  const formattingOptions = formattingOf(plain);
  const problem = change(
    (at, value) => {
      const isArrayInsertion = at.at(-1) === -1;
      plain = applyEdits(plain, modify(plain, [...at], value, { formattingOptions, isArrayInsertion }));
      return null;
    },
    valueAt(parsed.value, path),
  );
  return problem ?? { text: mark + plain };
}

function formattingOf(text: string) {
  const indent = /\n([\t ]+)\S/.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

/** Follows a link of the user's own file (users keep theirs elsewhere). Null if a project's leads out of the project. */
async function resolveFile({ scope, file }: SettingsPath, root: string): Promise<string | null> {
  const real = await realpath(file).catch(() => null);
  if (!isProjectScope(scope)) return real ?? file;
  const realRoot = await realpath(root).catch(() => root);
  const target = real ?? (await realpath(dirname(file)).catch(() => realRoot));
  return isPathInside(target, realRoot) ? (real ?? file) : null;
}
