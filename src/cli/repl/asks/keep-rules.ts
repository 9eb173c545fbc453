import { troupeHome } from "../../../journal/paths.ts";
import { agreeToRules } from "../../../policy/trust/trust-store.ts";
import { addToList } from "../../../settings/edit-settings.ts";
import { type SettingsPath, settingsPaths } from "../../../settings/paths.ts";
import { schema } from "../../../settings/schema.ts";
import type { Choices } from "../../../terminal/dialogs/choice-form.ts";
import { safeLine, visibleLine } from "../../../terminal/safe-text.ts";
import { whereOf } from "../../directories.ts";
import type { OwnFiles } from "../slash-context.ts";
import { field, type Sheet } from "./shown.ts";

export const keepChoices: Choices = {
  answers: [
    { key: "y", words: "write it, and allow this call" },
    { key: "n", words: "write nothing; back to the question" },
  ],
  escape: "n",
};

/** The settings of this user for the conversation's directory. */
function keptPlace({ io, root }: OwnFiles): SettingsPath {
  const place = settingsPaths(whereOf(io, root)).find(({ scope }) => scope === "local");
  if (place === undefined) throw new Error("There is no file for local settings.");
  return place;
}

export function keptFile(own: OwnFiles): string {
  return keptPlace(own).file;
}

export function keptRows(rules: readonly string[], file: string, sheet: Sheet): string[] {
  return [
    "",
    ...field("writes", rules.map((rule) => `allow ${rule}`).join("\n"), sheet),
    ...field("into", file, sheet),
    "",
    sheet.paint("yellow", "Write this? It holds in every later session here."),
  ];
}

/**
 * Writes rules into the local settings of the project. The user has just agreed to them, so the next session does not
 * ask whether it may trust them. `problem`: why nothing was written.
 */
export async function keepRules(
  rules: readonly string[],
  own: OwnFiles,
): Promise<{ readonly problem?: string; readonly note: string }> {
  const { io, root } = own;
  const place = keptPlace(own);
  const { trust } = await own.reader.read();
  // First: who follows the settings must not find rules that were not agreed to.
  const unagreed =
    trust.type === "untrusted"
      ? "Later sessions here use it once you trust the directory."
      : await agreeToRules(troupeHome(io.env, io.homedir), root, rules, io.clock);
  const problem = await addToList(place, root, schema.permissions.allow.path, rules);
  if (problem !== null) return { problem: safeLine(problem), note: "" };
  const later = unagreed === null ? "" : ` ${visibleLine(unagreed)}`;
  return { note: `Written to ${visibleLine(place.file)}; it counts for all agents from now on.${later}` };
}
