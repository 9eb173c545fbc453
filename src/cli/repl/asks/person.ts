import type {
  Choice,
  PermissionRequest,
  PlanRequest,
  Question,
  QuestionRequest,
  UserAnswer,
  UserHandler,
  UserRequest,
} from "../../../policy/asks.ts";
import { createWords } from "../../../terminal/diff/words.ts";
import { visibleLine, visibleText } from "../../../terminal/visible-text.ts";
import { wrapText } from "../../../terminal/wrap.ts";
import type { Dialog, Terminal } from "../terminal.ts";
import { permissionReply, permissionRows } from "./permission.ts";
import { planReply, planRows } from "./plan.ts";
import { askersOf, choiceRows, type Sheet } from "./shown.ts";

const PROMPT = "answer › ";
const WORDS = "your words › ";

/**
 * Asks the user at the terminal. Only a line typed after the question was drawn counts; an invalid answer is asked for
 * again. Returns `unavailable` if the user left, the terminal closed, or the answer no longer matters.
 */
export function terminalPerson(terminal: Terminal): UserHandler {
  return {
    ask: (ask, signal) =>
      terminal.dialog(async (dialog) => {
        const answer = await answerTo(ask, asking(terminal, dialog, signal));
        if (answer !== null) return answer;
        dialog.print(terminal.paint("dim", "Not answered."));
        const reason = signal.aborted
          ? "The question was withdrawn before the user answered."
          : "The user left the terminal without an answer.";
        return { type: "unavailable", reason };
      }),
  };
}

interface Asking {
  readonly sheet: Sheet;
  print(rows: readonly string[]): void;
  hint(words: string): void;
  /** Resolves to null without an answer. */
  line(prompt: string): Promise<string | null>;
}

function asking({ paint, columns }: Terminal, dialog: Dialog, signal: AbortSignal): Asking {
  return {
    get sheet() {
      return { paint, columns: columns() };
    },
    print: (rows) => dialog.print(rows.join("\n")),
    hint: (words) => dialog.print(paint("yellow", words)),
    line: (prompt) => dialog.question(prompt, signal),
  };
}

function answerTo(ask: UserRequest, asking: Asking): Promise<UserAnswer | null> {
  const { paint } = asking.sheet;
  if (ask.waiting !== undefined) asking.print([paint("dim", `1 of ${ask.waiting + 1} questions`)]);
  switch (ask.type) {
    case "permission":
      return permission(ask, asking);
    case "question":
      return questions(ask, asking);
    case "plan":
      return plan(ask, asking);
    default:
      return ask satisfies never;
  }
}

async function permission(ask: PermissionRequest, asking: Asking): Promise<UserAnswer | null> {
  const words = createWords();
  if (ask.diff !== undefined) await words.load();
  asking.print(permissionRows(ask, asking.sheet, words));
  for (;;) {
    const line = await asking.line(PROMPT);
    if (line === null) return null;
    const reply = permissionReply(line, ask);
    switch (reply.type) {
      case "answer":
        return reply.answer;
      case "view":
        asking.print(permissionRows(ask, asking.sheet, { ...words, whole: true }));
        break;
      case "unclear":
        asking.hint(reply.hint);
        break;
      default:
        reply satisfies never;
    }
  }
}

async function questions(ask: QuestionRequest, asking: Asking): Promise<UserAnswer | null> {
  const answers: [question: string, answer: string][] = [];
  asking.print([asking.sheet.paint("dim", `${askersOf(ask.askers)} asks:`)]);
  for (const question of ask.questions) {
    asking.print(questionRows(question, asking.sheet));
    const answer = await oneAnswer(question, asking);
    if (answer === null) return null;
    answers.push([question.question, answer]);
  }
  return { type: "answers", answers: Object.fromEntries(answers) };
}

async function oneAnswer(
  question: QuestionRequest["questions"][number],
  asking: Asking,
): Promise<string | null> {
  for (;;) {
    const line = await asking.line(PROMPT);
    if (line === null) return null;
    const reply = questionReply(line, question);
    switch (reply.type) {
      case "labels":
        return reply.labels.join(", ");
      case "words":
        return reply.words;
      case "other": {
        const words = await ownWords(asking);
        return words === null ? null : [...reply.labels, words].join(", ");
      }
      case "unclear":
        asking.hint(reply.hint);
        break;
      default:
        reply satisfies never;
    }
  }
}

async function ownWords(asking: Asking): Promise<string | null> {
  for (;;) {
    const line = await asking.line(WORDS);
    if (line === null || line.trim() !== "") return line?.trim() ?? null;
    asking.hint("Type your answer, and Enter.");
  }
}

async function plan(ask: PlanRequest, asking: Asking): Promise<UserAnswer | null> {
  asking.print(planRows(ask, asking.sheet));
  for (;;) {
    const line = await asking.line(PROMPT);
    if (line === null) return null;
    const answer = planReply(line);
    if (answer !== null) return answer;
    asking.hint("Type y, a or n, and Enter.");
  }
}

/** What the user typed at a question. */
type QuestionReply =
  | { readonly type: "labels"; readonly labels: readonly string[] }
  /** The user chose "Other": their own text is added to these. */
  | { readonly type: "other"; readonly labels: readonly string[] }
  | { readonly type: "words"; readonly words: string }
  | { readonly type: "unclear"; readonly hint: string };

/** Returns the question with its numbered options; the last number is always the user's own text (A14.2). */
export function questionRows(question: Question, sheet: Sheet): string[] {
  const { options, multiSelect } = question;
  const many = multiSelect ? " (several numbers, such as 1,3)" : "";
  return [
    sheet.paint("yellow", visibleLine(question.header)),
    ...wrapText(`${visibleText(question.question)}${many}`, sheet.columns, "  ").map((row) =>
      sheet.paint("bold", row),
    ),
    ...options.flatMap(({ label, description, preview }, index) => [
      ...choiceRows(String(index + 1), optionWords(label, description), sheet),
      ...(preview === undefined ? [] : wrapText(visibleText(preview), sheet.columns, "     │ ")),
    ]),
    ...choiceRows(String(options.length + 1), "Other: type your own text", sheet),
  ];
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
