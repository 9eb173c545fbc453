import type { PermissionMode } from "../../session/options.ts";
import { wrapText } from "../../terminal/wrap.ts";
import type { Terminal } from "./terminal.ts";

const WARNING =
  "In bypassPermissions you are asked about nothing: agents run every command, change every file and reach every server that no rule denies, until you change the mode again.";

/** Warns of a mode in which nothing is asked, and resolves with whether the user wants it; any other mode is no question. */
export async function confirmMode(
  { dialog, paint, columns }: Pick<Terminal, "dialog" | "paint" | "columns">,
  mode: PermissionMode,
): Promise<boolean> {
  if (mode !== "bypassPermissions") return true;
  return dialog(async ({ print, question }) => {
    print(paint("yellow", wrapText(WARNING, columns()).join("\n")));
    // Ends with an answer, or with the terminal.
    const line = await question("change to it? y or n › ", new AbortController().signal);
    return /^\s*y(?:es)?\s*$/i.test(line ?? "");
  });
}
