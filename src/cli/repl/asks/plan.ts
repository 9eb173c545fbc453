import type { PlanRequest, UserAnswer } from "../../../policy/user-requests.ts";
import type { Choices } from "../../../terminal/dialogs/choice-form.ts";
import { visibleLine, visibleText } from "../../../terminal/visible-text.ts";
import { wrapText } from "../../../terminal/wrap.ts";
import { askersOf, field, type Sheet } from "./shown.ts";

/** Returns the whole plan: the user must be able to read all of it before approving. */
export function planRows(
  ask: PlanRequest,
  sheet: Sheet,
  replyRows: (text: string) => readonly string[],
): string[] {
  const { paint } = sheet;
  return [
    paint("yellow", "Carry out this plan?"),
    "",
    ...replyRows(visibleText(ask.plan).trimEnd()),
    "",
    ...field("from", askersOf(ask.askers), sheet),
    ...field("file", ask.file, sheet),
    ...allowRows(ask.allows, sheet),
  ];
}

export const planChoices: Choices = {
  answers: [
    { key: "y", words: "yes, and ask before each edit and command that no rule allows" },
    { key: "a", words: "yes, and edit files without asking" },
    { key: "n", words: "no, keep planning; say what to change after it: n add tests first" },
  ],
  escape: "n",
};

function allowRows(allows: PlanRequest["allows"], sheet: Sheet): string[] {
  if (allows.length === 0) return [];
  return [
    sheet.paint("dim", "  approval also allows, for this session:"),
    ...allows.flatMap(({ prompt, rules }) => {
      const words =
        rules.length > 0 ? rules.map(visibleLine).join(", ") : "nothing: no rule is narrow enough";
      return wrapText(`- ${visibleLine(prompt)}: ${words}`, sheet.columns, "    ");
    }),
  ];
}

/** Returns null for an invalid answer. */
export function planReply(line: string): UserAnswer | null {
  const [, word = "", rest = ""] = /^([A-Za-z]+)[\s,:;.]*([\s\S]*)$/.exec(line.trim()) ?? [];
  const message = rest.trim();
  switch (word.toLowerCase()) {
    case "y":
    case "yes":
      return message === "" ? { type: "approve", mode: "default" } : null;
    case "a":
      return message === "" ? { type: "approve", mode: "acceptEdits" } : null;
    case "n":
    case "no":
      return { type: "deny", span: "once", ...(message === "" ? {} : { message }) };
    default:
      return null;
  }
}
