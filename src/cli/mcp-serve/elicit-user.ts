import { errorMessage } from "../../lib/errors.ts";
import type {
  PermissionRequest,
  QuestionRequest,
  UserAnswer,
  UserHandler,
  UserRequest,
} from "../../policy/user-requests.ts";
import { visibleDense, visibleLine } from "../../terminal/safe-text.ts";
import { aboutPermission } from "../permissions/format.ts";

/** One field of a form, of a kind that every client with elicitation knows. */
export interface FormField {
  readonly type: "string";
  readonly title: string;
  readonly description?: string;
  readonly enum?: string[];
  readonly enumNames?: string[];
}

export interface Form {
  readonly message: string;
  readonly fields: Readonly<Record<string, FormField>>;
  readonly required: readonly string[];
}

/** What the user did with a form. */
export type FormAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };

/** Shows a form through the client; rejects if the client cannot, or does not answer. */
export type ShowForm = (form: Form, signal: AbortSignal) => Promise<FormAnswer>;

/** Of a longer text the beginning and the end are shown, and its length. */
const MOST_CHARS = 8_000;

/** Asks the user behind a client with elicitation. Anything but a clear yes means no. */
export function elicitUser(show: ShowForm): UserHandler {
  return {
    async ask(request, signal) {
      try {
        return await ask(request, show, signal);
      } catch (error) {
        return noAnswer(`The client could not ask the user (${errorMessage(error)}).`);
      }
    },
  };
}

async function ask(request: UserRequest, show: ShowForm, signal: AbortSignal): Promise<UserAnswer> {
  switch (request.type) {
    case "permission":
      return readPermission(request, await show(permissionForm(request), signal));
    case "question":
      return readAnswers(request, await show(questionForm(request), signal));
    case "plan":
      // Only a main conversation plans, and a server has none.
      return noAnswer("A plan can only be approved in a conversation.");
    default:
      return request satisfies never;
  }
}

const ONCE = "once";
const SESSION = "session";
const NO = "no";

function permissionForm(request: PermissionRequest): Form {
  const { tool, title, grants, askers } = request;
  const several = askers.length > 1 ? ` (${askers.length} agents ask for the same)` : "";
  const rules = grants.map(visibleLine).join(", ");
  const choices: readonly (readonly [string, string])[] = [
    [ONCE, "Yes, this once"],
    ...(grants.length === 0 ? [] : ([[SESSION, `Yes, while this server runs: ${rules}`]] as const)),
    [NO, "No"],
  ];
  return {
    message: `An agent wants to use ${tool}${several}: ${indent(title)}\n${aboutPermission(request, indent)}`,
    fields: {
      allow: {
        ...{ type: "string", title: "Allow it?" },
        enum: choices.map(([value]) => value),
        enumNames: choices.map(([, label]) => label),
      },
      message: { type: "string", title: "If not: a message to the agent" },
    },
    required: ["allow"],
  };
}

function readPermission({ grants }: PermissionRequest, filled: FormAnswer): UserAnswer {
  if (filled.action === "decline") return { type: "deny", span: "once" };
  if (filled.action !== "accept") return noAnswer("The user closed the question without an answer.");
  const { allow } = filled.content;
  const message = textField(filled.content, "message");
  if (allow === ONCE) return { type: "allow", span: "once" };
  if (allow === SESSION && grants.length > 0) return { type: "allow", span: "session", grants };
  return { type: "deny", span: "once", ...(message === "" ? {} : { message }) };
}

/** A choice for each question, and a field for an answer of the user's own. */
function questionForm({ questions, askers: [asker] }: QuestionRequest): Form {
  const fields = questions.flatMap(({ question, header, options, multiSelect }, index) => {
    const labels = options.map(({ label }) => label);
    const about = options.map(
      ({ label, description }) => `${visibleLine(label)}: ${visibleLine(description)}`,
    );
    const several = multiSelect ? "Several, with commas between them: " : "";
    const choice: FormField = {
      ...{ type: "string", title: visibleLine(header) },
      description: bound(`${question}\n${several}${about.join("\n")}`),
      ...(multiSelect ? {} : { enum: labels }),
    };
    const own: FormField = { type: "string", title: `${visibleLine(header)}, another answer` };
    return [[choiceField(index), choice], ...(multiSelect ? [] : [[ownField(index), own] as const])] as const;
  });
  return {
    message: `${visibleLine(asker.path.join(" > "))} asks:\n${questions.map(({ question }) => bound(question)).join("\n")}`,
    fields: Object.fromEntries(fields),
    required: [],
  };
}

function readAnswers({ questions }: QuestionRequest, filled: FormAnswer): UserAnswer {
  if (filled.action !== "accept") return noAnswer("The user did not want to answer.");
  const answers = questions.flatMap(({ question }, index) => {
    const answer =
      textField(filled.content, ownField(index)) || textField(filled.content, choiceField(index));
    return answer === "" ? [] : [[question, answer] as const];
  });
  if (answers.length === 0) return noAnswer("The user left all fields empty.");
  return { type: "answers", answers: Object.fromEntries(answers) };
}

function choiceField(index: number): string {
  return `answer_${index + 1}`;
}

function ownField(index: number): string {
  return `own_words_${index + 1}`;
}

function textField(content: Readonly<Record<string, unknown>>, name: string): string {
  const value = content[name];
  return typeof value === "string" ? value.trim() : "";
}

/** Indents further lines, so that none of them looks like one of the form's own. */
function indent(text: string): string {
  return bound(text).replaceAll("\n", "\n  | ");
}

/** Makes every character visible. If something is left out, it is the middle, and the text says so. */
function bound(text: string): string {
  const shown = visibleDense(text);
  if (shown.length <= MOST_CHARS) return shown;
  const half = MOST_CHARS / 2;
  const [head, tail] = [shown.slice(0, half).toWellFormed(), shown.slice(-half).toWellFormed()];
  return `${head}\n… (the middle is not shown; ${text.length} characters in all) …\n${tail}`;
}

function noAnswer(reason: string): UserAnswer {
  return { type: "unavailable", reason };
}
