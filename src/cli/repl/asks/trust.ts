import { type Choices, chosenKey } from "../../../terminal/dialogs/choice-form.ts";
import { visibleText } from "../../../terminal/visible-text.ts";
import { wrapText } from "../../../terminal/wrap.ts";
import type { AskTrust } from "../../session-settings.ts";
import type { Terminal } from "../terminal.ts";

const ANSWERS = [
  { key: "y", words: "yes, trust it" },
  { key: "n", words: "no; what it brings can only deny and ask" },
];

/** Asks at the terminal whether the user trusts the directory. Only `y` or `yes` agrees; `a` shows the whole list. */
export function askTrustAt({ dialog, paint, columns }: Terminal): AskTrust {
  return ({ text, all }) =>
    dialog(async ({ print, question: ask }) => {
      const show = (question: string) => print(wrapText(visibleText(question), columns()).join("\n"));
      const isCut = text !== all;
      const keys = isCut ? "y, n, or a to see all of it" : "y or n";
      const more = isCut ? [{ key: "a", words: "show all of it first" }] : [];
      const choices: Choices = { answers: [...ANSWERS, ...more], escape: "n" };
      show(text);
      for (;;) {
        // Ends with an answer, or with the terminal.
        const line = await ask(`trust it? ${keys} › `, new AbortController().signal, choices);
        const word = chosenKey(line ?? "n", choices)
          .trim()
          .toLowerCase();
        if (/^(?:y|yes)$/.test(word)) return true;
        if (/^(?:n|no)$/.test(word)) return false;
        if (/^(?:a|all)$/.test(word)) show(all);
        else print(paint("yellow", `Type ${keys}, and Enter.`));
      }
    });
}
