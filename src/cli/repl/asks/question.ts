import type { Choice, PlanRequest, Question, UserAnswer } from "../../../policy/user-requests.ts";
import type { Choices } from "../../../terminal/dialogs/choice-form.ts";
import { visibleLine, visibleText } from "../../../terminal/safe-text.ts";
import { wrapText } from "../../../terminal/wrap.ts";
import { askersOf, field, type Sheet } from "./shown.ts";

/** What the user typed at a question. */
type QuestionReply =
  | { readonly type: "labels"; readonly labels: readonly string[] }
  /** The user chose "Other": their own text is added to these. */
  | { readonly type: "other"; readonly labels: readonly string[] }
  | { readonly type: "words"; readonly words: string }
  | { readonly type: "unclear"; readonly hint: string };

export function questionRows({ header, question, multiSelect }: Question, sheet: Sheet): string[] {
  const many = multiSelect ? " (several numbers, such as 1,3; Space marks them)" : "";
  return [
    sheet.paint("yellow", visibleLine(header)),
    ...wrapText(`${visibleText(question)}${many}`, sheet.columns, "  ").map((row) =>
      sheet.paint("bold", row),
    ),
  ];
}

/** Returns the numbered options; the last number is always the user's own text (A14.2). */
export function questionChoices({ options, multiSelect }: Question): Choices {
  const own = { key: String(options.length + 1), words: "Other: type your own text" };
  const answers = options.map(({ label, description, preview }, index) => ({
    ...{ key: String(index + 1), words: optionWords(label, description) },
    ...(preview === undefined ? {} : { preview }),
  }));
  return { answers: [...answers, own], several: multiSelect };
}

function optionWords(label: string, description: string): string {
  const words = visibleLine(description);
  return words === "" ? visibleLine(label) : `${visibleLine(label)}: ${words}`;
}

/** Numbers choose, as does a plain yes or no that is an option; any other text is the user's own answer. */
export function questionReply(line: string, question: Question): QuestionReply {
  const { options, multiSelect } = question;
  const typed = line.trim();
  const meant = plainlyMeant(typed, question);
  if (meant !== undefined) return { type: "labels", labels: [meant.label] };
  const last = options.length + 1;
  if (typed === "") return { type: "unclear", hint: `Type a number from 1 to ${last}, or your own text.` };
  if (!/^\d[\d\s,]*$/.test(typed)) return { type: "words", words: typed };
  const numbers = [
    ...new Set(
      typed
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(Number),
    ),
  ];
  if (numbers.some((number) => number < 1 || number > last)) {
    return { type: "unclear", hint: `The numbers go from 1 to ${last}.` };
  }
  if (!multiSelect && numbers.length > 1) return { type: "unclear", hint: "Only one of them can be chosen." };
  const labels = numbers.flatMap((number) => options[number - 1]?.label ?? []);
  return { type: numbers.includes(last) ? "other" : "labels", labels };
}

function plainlyMeant(typed: string, { options, yesOrNo }: Question): Choice | undefined {
  const [, yes] = /^(y(?:es)?|no?)[.!]?$/i.exec(typed) ?? [];
  if (yes === undefined) return undefined;
  const isYes = /^y/i.test(yes);
  const word = isYes ? /^yes\b/i : /^no\b/i;
  return yesOrNo ? options[isYes ? 0 : 1] : options.find(({ label }) => word.test(label));
}

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
