import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import type { PermissionMode } from "../../settings/permissions.ts";
import type { Choices } from "../../terminal/dialogs/choice-form.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { askOneOf } from "./ask-one-of.ts";
import type { Terminal } from "./terminal.ts";

const WARNING =
  "In bypassPermissions you are asked about nothing: agents run every command, change every file and reach every server that no rule denies, until you change the mode again.";

const CHOICES: Choices = {
  answers: [
    { key: "y", words: "yes, ask me about nothing" },
    { key: "n", words: "no, keep the mode" },
  ],
  escape: "n",
};

/** Warns of a mode in which nothing is asked, and resolves with whether the user wants it; any other mode is no question. */
export async function confirmMode(
  terminal: Pick<Terminal, "dialog" | "paint" | "columns">,
  mode: PermissionMode,
): Promise<boolean> {
  if (mode !== "bypassPermissions") return true;
  return terminal.dialog(async (dialog) => {
    dialog.print(terminal.paint("yellow", wrapText(WARNING, terminal.columns()).join("\n")));
    const prompt = "change to it? y or n › ";
    return (await askOneOf(terminal, dialog, { prompt, ...CHOICES })) === "y";
  });
}

/** What Shift-Tab goes around. */
const CYCLE: readonly PermissionMode[] = ["default", "acceptEdits", "plan"];

/** Returns the next of the modes that ask at least for what is dangerous; the last one takes `/mode`. */
export function nextMode(
  mode: PermissionMode,
  whyNot: (mode: PermissionMode) => string | null,
): PermissionMode | undefined {
  const free = CYCLE.filter((one) => whyNot(one) === null);
  return free[(free.indexOf(mode) + 1) % free.length];
}

/** Returns what changes the mode to acceptEdits; undefined if it cannot, or need not, be changed. */
export function acceptEdits({
  session,
  whyNot,
}: {
  readonly session: Pick<SupervisorHandle, "mode" | "setMode">;
  whyNot(mode: PermissionMode): string | null;
}): (() => void) | undefined {
  if (session.mode() !== "default" || whyNot("acceptEdits") !== null) return undefined;
  return () => session.setMode("acceptEdits");
}
