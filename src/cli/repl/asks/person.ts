import { MAIN } from "../../../mailbox/ids.ts";
import type {
  PermissionRequest,
  PlanRequest,
  QuestionRequest,
  UserAnswer,
  UserHandler,
  UserRequest,
} from "../../../policy/user-requests.ts";
import { type Choices, chosenKey } from "../../../terminal/dialogs/choice-form.ts";
import { createWords } from "../../../terminal/diff.ts";
import { askOneOf } from "../ask-one-of.ts";
import type { OwnFiles } from "../slash-context.ts";
import type { Dialog, Terminal } from "../terminal.ts";
import { isPlainEdit, permissionChoices, permissionReply, permissionRows } from "./permission.ts";
import {
  planChoices,
  planReply,
  planRows,
  questionChoices,
  questionReply,
  questionRows,
} from "./question.ts";
import { askersOf, type Sheet } from "./shown.ts";

const PROMPT = "answer › ";
const WORDS = "your words › ";

/** What the conversation has for questions, as it is when one is asked. */
export interface Offers {
  /** Where rules can be kept. */
  readonly own: OwnFiles | undefined;
  /** Changes the mode to acceptEdits; absent if it cannot, or need not, be changed. */
  readonly acceptEdits?: (() => void) | undefined;
}

/**
 * Asks the user at the terminal. Only a line typed after the question was drawn counts; an invalid answer is asked for
 * again. Returns `unavailable` if the user left, the terminal closed, or the answer no longer matters.
 */
export function terminalPerson(
  terminal: Terminal,
  offers: () => Offers = () => ({ own: undefined }),
): UserHandler {
  return {
    ask: (ask, signal) =>
      terminal.dialog(
        async (dialog) => {
          const answer = await answerTo(ask, asking(terminal, dialog, signal, offers()));
          if (answer !== null) return answer;
          dialog.print(terminal.paint("dim", "Not answered."));
          const reason = signal.aborted
            ? "The question was withdrawn before the user answered."
            : "The user closed the question without an answer.";
          return { type: "unavailable", reason };
        },
        ask.askers.every(({ actor }) => actor !== MAIN),
      ),
  };
}

type Asking = ReturnType<typeof asking>;

function asking(
  { paint, columns, ready, replyRows }: Terminal,
  dialog: Dialog,
  signal: AbortSignal,
  offers: Offers,
) {
  return {
    get sheet(): Sheet {
      return { paint, columns: columns() };
    },
    print: (rows: readonly string[]) => dialog.print(rows.join("\n")),
    hint: (words: string) => dialog.print(paint("yellow", words)),
    /** Resolves to null without an answer. */
    async line(prompt: string, choices?: Choices): Promise<string | null> {
      const line = await dialog.question(prompt, signal, choices);
      return line === null || choices === undefined ? line : chosenKey(line, choices);
    },
    /** Asks until one of these is chosen; resolves to its key, or to null without an answer. */
    oneOf: (choices: Choices) => askOneOf({ paint }, dialog, { prompt: PROMPT, signal, ...choices }),
    offers,
    /** Returns Markdown as rows, once its colours are there. */
    async markdown(text: string): Promise<(text: string) => readonly string[]> {
      await ready(text);
      return replyRows;
    },
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
  const { own, acceptEdits } = asking.offers;
  asking.print(permissionRows(ask, asking.sheet, { ...words, cwd: own?.cwd }));
  const keeps = own !== undefined;
  const edits = acceptEdits !== undefined && isPlainEdit(ask, own?.cwd);
  let choices = permissionChoices(ask, asking.sheet, { keeps, edits });
  for (;;) {
    const line = await asking.line(PROMPT, choices);
    if (line === null) return null;
    const reply = permissionReply(line, { ...ask, keeps, edits });
    switch (reply.type) {
      case "answer":
        return reply.answer;
      case "keep": {
        const kept = await keepForProject(reply.rules, asking);
        if (kept !== "back") return kept;
        break;
      }
      case "edits":
        acceptEdits?.();
        return { type: "allow", span: "once" };
      case "view":
        asking.print(permissionRows(ask, asking.sheet, { ...words, whole: true }));
        choices = permissionChoices(ask, asking.sheet, { keeps, edits, whole: true });
        break;
      case "unclear":
        asking.hint(reply.hint);
        break;
      default:
        reply satisfies never;
    }
  }
}

/** Shows the rules that would be written, and writes them; "back" if the user takes that back or it fails. */
async function keepForProject(rules: readonly string[], asking: Asking): Promise<UserAnswer | "back" | null> {
  const { own } = asking.offers;
  if (own === undefined) return "back";
  const { keepRules, keptRows, keptFile, keepChoices } = await import("./keep-rules.ts");
  asking.print(keptRows(rules, keptFile(own), asking.sheet));
  const key = await asking.oneOf(keepChoices);
  if (key !== "y") return key === null ? null : "back";
  const { problem, note } = await keepRules(rules, own);
  asking.hint(problem ?? note);
  return problem === undefined ? { type: "allow", span: "session", grants: rules } : "back";
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
  const choices = questionChoices(question);
  for (;;) {
    const line = await asking.line(PROMPT, choices);
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
  asking.print(planRows(ask, asking.sheet, await asking.markdown(ask.plan)));
  for (;;) {
    const line = await asking.line(PROMPT, planChoices);
    if (line === null) return null;
    const answer = planReply(line);
    if (answer !== null) return answer;
    asking.hint("Type y, a or n, and Enter.");
  }
}
