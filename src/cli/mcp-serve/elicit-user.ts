import { errorMessage } from "../../lib/errors.ts";
import type {
  PermissionRequest,
  QuestionRequest,
  UserAnswer,
  UserHandler,
  UserRequest,
} from "../../policy/asks.ts";
import { formatDanger } from "../danger-words.ts";
import { visibleDense, visibleLine } from "../visible-text.ts";

/** One field of a form, as far as every client that can ask knows it. */
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

/** What the person did with a form. */
export type Filled =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Shows a form through the client; rejects where the client cannot, or does not answer. */
export type ShowForm = (form: Form, signal: AbortSignal) => Promise<Filled>;

/** Of what is longer, the beginning and the end are shown, and how much there is. */
const MOST_CHARS = 8_000;

/** The person behind a client that can ask (elicitation). Whatever is no clear yes means no. */
export function elicitUser(show: ShowForm): UserHandler {
  return {
    async ask(ask, signal) {
      try {
        return await answerTo(ask, show, signal);
      } catch (error) {
        return nobody(`The client could not ask the person (${errorMessage(error)}).`);
      }
    },
  };
}

async function answerTo(ask: UserRequest, show: ShowForm, signal: AbortSignal): Promise<UserAnswer> {
  switch (ask.type) {
    case "permission":
      return permission(ask, await show(permissionForm(ask), signal));
    case "question":
      return answers(ask, await show(questionForm(ask), signal));
    case "plan":
      // Only a main conversation plans, and a server has none.
      return nobody("A plan is approved in a conversation of one's own.");
    default:
      return ask satisfies never;
  }
}

const ONCE = "once";
const SESSION = "session";
const NO = "no";

function permissionForm(ask: PermissionRequest): Form {
  const { tool, level, title, details, description, reason, grants, askers } = ask;
  const several = askers.length > 1 ? ` (${askers.length} agents ask for the same)` : "";
  const shown = details.filter(({ value }) => value !== title && value !== description);
  const rules = grants.map(visibleLine).join(", ");
  const choices: readonly (readonly [string, string])[] = [
    [ONCE, "Yes, this once"],
    ...(grants.length === 0 ? [] : ([[SESSION, `Yes, while this server runs: ${rules}`]] as const)),
    [NO, "No"],
  ];
  return {
    message: [
      `An agent wants to use ${tool}${several}: ${indented(title)}`,
      ...(description === undefined || description === title
        ? []
        : [`The model says: ${indented(description)}`]),
      `Why this is asked: ${visibleLine(reason)}`,
      `Danger: ${formatDanger(level)}`,
      `From: ${askers.map(({ path }) => visibleLine(path.join(" > "))).join("; ")}`,
      ...shown.map(({ name, value }) => `${visibleLine(name)}: ${indented(value)}`),
    ].join("\n"),
    fields: {
      allow: {
        ...{ type: "string", title: "Allow it?" },
        enum: choices.map(([value]) => value),
        enumNames: choices.map(([, words]) => words),
      },
      message: { type: "string", title: "If not: what the agent is told" },
    },
    required: ["allow"],
  };
}

function permission({ grants }: PermissionRequest, filled: Filled): UserAnswer {
  switch (filled.action) {
    case "accept":
      break;
    case "decline":
      return { type: "deny", span: "once" };
    case "cancel":
      return nobody("The person closed the question without an answer.");
    default:
      return filled satisfies never;
  }
  const { allow } = filled.content;
  const message = wordsIn(filled.content, "message");
  if (allow === ONCE) return { type: "allow", span: "once" };
  if (allow === SESSION && grants.length > 0) return { type: "allow", span: "session", grants };
  return { type: "deny", span: "once", ...(message === "" ? {} : { message }) };
}

/** A choice for each question, and beside it room for words of one's own. */
function questionForm({ questions, askers: [asker] }: QuestionRequest): Form {
  const fields = questions.flatMap(({ question, header, options, multiSelect }, place) => {
    const labels = options.map(({ label }) => label);
    const about = options.map(
      ({ label, description }) => `${visibleLine(label)}: ${visibleLine(description)}`,
    );
    const several = multiSelect ? "Several, with commas between them: " : "";
    const choice: FormField = {
      ...{ type: "string", title: visibleLine(header) },
      description: bounded(`${question}\n${several}${about.join("\n")}`),
      ...(multiSelect ? {} : { enum: labels }),
    };
    const own: FormField = { type: "string", title: `${visibleLine(header)}, in your own words` };
    return [[choiceName(place), choice], ...(multiSelect ? [] : [[ownName(place), own] as const])] as const;
  });
  return {
    message: `${visibleLine(asker.path.join(" > "))} asks:\n${questions.map(({ question }) => bounded(question)).join("\n")}`,
    fields: Object.fromEntries(fields),
    required: [],
  };
}

function answers({ questions }: QuestionRequest, filled: Filled): UserAnswer {
  if (filled.action !== "accept") return nobody("The person did not want to answer.");
  const said = questions.map(({ question }, place): readonly [string, string] => {
    const own = wordsIn(filled.content, ownName(place));
    return [question, own === "" ? wordsIn(filled.content, choiceName(place)) : own];
  });
  if (said.every(([, words]) => words === "")) return nobody("The person answered nothing.");
  return { type: "answers", answers: Object.fromEntries(said.filter(([, words]) => words !== "")) };
}

function choiceName(place: number): string {
  return `answer_${place + 1}`;
}

function ownName(place: number): string {
  return `own_words_${place + 1}`;
}

function wordsIn(content: Readonly<Record<string, unknown>>, name: string): string {
  const value = content[name];
  return typeof value === "string" ? value.trim() : "";
}

/** No line of it begins like one of ours. */
function indented(text: string): string {
  return bounded(text).replaceAll("\n", "\n  | ");
}

/** Every character visible; if something is left out, it is the middle, and the text says so. */
function bounded(text: string): string {
  const shown = visibleDense(text);
  if (shown.length <= MOST_CHARS) return shown;
  const half = MOST_CHARS / 2;
  const [head, tail] = [shown.slice(0, half).toWellFormed(), shown.slice(-half).toWellFormed()];
  return `${head}\n… (the middle is not shown; ${text.length} characters in all) …\n${tail}`;
}

function nobody(reason: string): UserAnswer {
  return { type: "nobody", reason };
}
