import type { AskTrust } from "../session-settings.ts";
import { visibleText } from "../visible-text.ts";
import type { Terminal } from "./terminal.ts";
import { wrapText } from "./wrap.ts";

/** Asks at the terminal whether to trust the directory; only a plain yes counts. */
export function askTrustAt({ dialog, paint, columns }: Terminal): AskTrust {
  return (question) =>
    dialog(async ({ print, question: ask }) => {
      print(wrapText(visibleText(question), columns()).join("\n"));
      for (;;) {
        // Ends with an answer, or with the terminal.
        const line = await ask("trust it? y or n › ", new AbortController().signal);
        const word = line?.trim().toLowerCase() ?? "n";
        if (/^(?:y|yes)$/.test(word)) return true;
        if (/^(?:n|no)$/.test(word)) return false;
        print(paint("yellow", "Type y or n, and Enter."));
      }
    });
}
