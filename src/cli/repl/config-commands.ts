import { nearName } from "../../lib/near-name.ts";
import { untrustedNote } from "../../policy/trust/trust-text.ts";
import { settingsKey } from "../../settings/leaves.ts";
import { settingName } from "../../settings/setting.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import {
  changeSetting,
  type EditedScope,
  editedScopes,
  leafLine,
  leavesBelow,
  requireKey,
} from "../config/change-setting.ts";
import { quoted, UsageError } from "../exit-codes.ts";
import { appliesImmediately } from "../follow-settings.ts";
import type { OwnFiles } from "./slash-context.ts";

const USAGE =
  "/config KEY VALUE sets one, in your own settings; --project or --local before KEY in this folder's. /config unset KEY takes it out.";

/** `/config`: shows the active settings and their files, or one of them, or sets it (A18.4). */
export async function config(argument: string, { own }: { readonly own: OwnFiles }): Promise<string> {
  const { scope, rest } = scopeIn(argument, editedScopes);
  const [, action, given = ""] = /^(?:(get|set|unset|list)(?=\s|$)\s*)?([\s\S]*)$/.exec(rest) ?? [];
  // As on the command line, the flag may also come last.
  const [, front = given, after] = /^([\s\S]*?)\s+--scope(?:=|\s+)(\S+)$/.exec(given) ?? [];
  const behind = after === undefined ? scope : scopeIn(`--${after}`, editedScopes).scope;
  const [, name = "", value = ""] = /^(\S*)\s*([\s\S]*)$/.exec(front.trim()) ?? [];
  if (action === "unset" && value === "" && name !== "") return change(name, undefined, behind, own);
  if (action === "unset" || (action === "set" && value === "") || (action === "get" && value !== ""))
    return USAGE;
  if (name === "" || action === "list") return list(own);
  return value === "" ? one(name, own) : change(name, unquoted(value), behind, own);
}

/** `/vim`: switches vim's keys on or off, in the user's own settings. */
export async function switchVim(_: string, { own }: { readonly own: OwnFiles }): Promise<string> {
  const { settings } = await own.reader.read();
  const next = settings.editorMode === "vim" ? "normal" : "vim";
  await changeSetting({ name: "editorMode", word: next, scope: "user" }, own.io, own.root);
  return next === "vim"
    ? "The prompt has vim's keys from now on. Esc leaves insert mode; /vim again switches them off."
    : "The prompt has the usual keys from now on.";
}

async function list({ reader }: OwnFiles): Promise<string> {
  const { leaves, warnings, trust } = await reader.read();
  const note = untrustedNote(trust);
  const rows = leaves.map(leafLine);
  return [
    ...(rows.length === 0 ? ["Nothing is set; all is as it comes."] : rows),
    ...[...warnings, ...(note === null ? [] : [note])].map(safeLine),
    USAGE,
  ].join("\n");
}

async function one(name: string, { reader }: OwnFiles): Promise<string> {
  const key = requireKey(name);
  const { leaves, trust } = await reader.read();
  const rows = leavesBelow(key, leaves).map(leafLine);
  if (rows.length > 0) return rows.join("\n");
  const usual =
    key.type === "setting" && key.setting.fallback !== "" ? ` It is then: ${key.setting.fallback}.` : "";
  // A file in the directory may set it and be ignored.
  const note = untrustedNote(trust);
  return [`${name} is not set.${usual}`, ...(note === null ? [] : [safeLine(note)])].join("\n");
}

async function change(
  name: string,
  word: string | undefined,
  scope: EditedScope | null,
  { io, root }: OwnFiles,
): Promise<string> {
  const { message, condition } = await changeSetting({ name, word, scope: scope ?? "user" }, io, root);
  const key = settingsKey(name);
  const path = key.type === "setting" ? settingName(key.setting) : name;
  const when = appliesImmediately(path)
    ? "It holds from now on."
    : "This conversation is not changed; it counts in the next session.";
  return [message, condition ?? when].map(safeLine).join("\n");
}

/** In a shell the value would be quoted. */
function unquoted(value: string): string {
  return /^'([^']*)'$/.exec(value.trim())?.[1] ?? value.trim();
}

/**
 * Parses the file's scope before the rest of a command: `--user TEXT`, or `--scope user TEXT` as on the command line.
 * Returns null without one.
 */
export function scopeIn<S extends string>(
  argument: string,
  scopes: readonly S[],
): { readonly scope: S | null; readonly rest: string } {
  const [whole, flag, named, alone] = /^--(?:(scope)(?:=|\s+)(\S*)|(\S*))\s*/.exec(argument) ?? [];
  if (whole === undefined) return { scope: null, rest: argument };
  const word = flag === undefined ? (alone ?? "") : (named ?? "");
  const scope = scopes.find((one) => one === word);
  if (scope !== undefined) return { scope, rest: argument.slice(whole.length) };
  const guess = nearName(word, scopes);
  const advice = guess
    ? `did you mean --${guess}?`
    : `say one of ${scopes.map((one) => `--${one}`).join(", ")}.`;
  throw new UsageError(`There is no ${quoted(whole.trim())} here; ${advice}`);
}
