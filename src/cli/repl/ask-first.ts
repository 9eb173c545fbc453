import type { SessionEntry } from "../../journal/sessions.ts";
import { type Choices, chosenKey } from "../../terminal/dialogs/choice-form.ts";
import { cutToWidth } from "../../terminal/display-width.ts";
import { counted } from "../../terminal/figures.ts";
import { visibleText } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { sessionListText } from "../session-list.ts";
import type { AskTrust } from "../session-settings.ts";
import type { ChooseSession } from "../setup-or-resume.ts";
import type { Terminal } from "./terminal.ts";

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

/** The number of sessions shown: older ones can be resumed by ID. */
const MOST = 9;
/** Columns for the number before each. */
const NUMBER = 5;

/** Asks at the terminal which session to resume; an empty line chooses none. */
export function chooseSessionAt({ dialog, paint, columns }: Terminal): ChooseSession {
  return (sessions) =>
    dialog(async ({ print, question }) => {
      const shown = sessions.slice(0, MOST);
      print("Which session do you want to resume?");
      const choices: Choices = {
        answers: shown.map((session, index) => ({ key: String(index + 1), words: row(session, columns()) })),
        escape: "",
      };
      const more = sessions.length - shown.length;
      if (more > 0)
        print(paint("dim", `${counted(more, "older session")}: troupe sessions list shows all of them.`));
      for (;;) {
        // Ends with an answer, or with the terminal.
        const line = await question(
          `1 to ${shown.length}, or Enter for none › `,
          new AbortController().signal,
          choices,
        );
        const word = line?.trim() ?? "";
        if (word === "") return null;
        const chosen = shown[Number(word) - 1] ?? shown.find(({ id }) => id === word);
        if (chosen) return chosen;
        print(paint("yellow", `Type a number from 1 to ${shown.length}, and Enter.`));
      }
    });
}

function row(session: SessionEntry, columns: number): string {
  const text = sessionListText([session], false, (_, words) => words).trimEnd();
  return cutToWidth(text, columns - NUMBER);
}
