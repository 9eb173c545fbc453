import type { SessionEntry } from "../../journal/sessions.ts";
import { cutToWidth } from "../../terminal/display-width.ts";
import { counted } from "../../terminal/figures.ts";
import { visibleText } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { sessionListText } from "../session-list.ts";
import type { AskTrust } from "../session-settings.ts";
import type { ChooseSession } from "../setup-or-resume.ts";
import { askOneOf } from "./ask-one-of.ts";
import type { Terminal } from "./terminal.ts";

const ANSWERS = [
  { key: "y", words: "yes, trust it" },
  { key: "n", words: "no; what it brings can only deny and ask" },
];

/** Asks at the terminal whether the user trusts the directory. Only `y` or `yes` agrees; `a` shows the whole list. */
export function askTrustAt(terminal: Terminal): AskTrust {
  return ({ text, all }) =>
    terminal.dialog(async (dialog) => {
      const show = (question: string) =>
        dialog.print(wrapText(visibleText(question), terminal.columns()).join("\n"));
      const isCut = text !== all;
      const prompt = `trust it? ${isCut ? "y, n, or a to see all of it" : "y or n"} › `;
      const more = isCut ? [{ key: "a", words: "show all of it first" }] : [];
      show(text);
      for (;;) {
        const key = await askOneOf(terminal, dialog, { prompt, answers: [...ANSWERS, ...more], escape: "n" });
        if (key !== "a") return key === "y";
        show(all);
      }
    });
}

/** The number of sessions shown: older ones can be resumed by ID. */
const MOST = 9;
/** Columns for the number before each. */
const NUMBER = 5;

/** Asks at the terminal which session to resume; an empty line chooses none. */
export function chooseSessionAt(terminal: Terminal): ChooseSession {
  const { dialog, paint, columns } = terminal;
  return (sessions) =>
    dialog(async (here) => {
      const shown = sessions.slice(0, MOST);
      here.print("Which session do you want to resume?");
      const more = sessions.length - shown.length;
      if (more > 0)
        here.print(
          paint("dim", `${counted(more, "older session")}: troupe sessions list shows all of them.`),
        );
      const key = await askOneOf(terminal, here, {
        prompt: `1 to ${shown.length}, or Enter for none › `,
        answers: shown.map((session, index) => ({ key: String(index + 1), words: row(session, columns()) })),
        escape: "",
      });
      return shown[Number(key) - 1] ?? null;
    });
}

function row(session: SessionEntry, columns: number): string {
  const text = sessionListText([session], false, (_, words) => words).trimEnd();
  return cutToWidth(text, columns - NUMBER);
}
