import * as z from "zod/mini";
import type { ChoiceOutcome } from "../policy/asking/questions.ts";
import type { Answers, Question } from "../policy/user-requests.ts";
import { type CallContext, failed, naming, type Tool, type ToolPrompt } from "./tool.ts";

/** A14.1. */
export const MIN_QUESTIONS = 1;
export const MAX_QUESTIONS = 4;
export const MIN_OPTIONS = 2;
export const MAX_OPTIONS = 4;
/** It is shown as a small tag next to its question. */
export const MAX_HEADER_CHARS = 12;

const Option = z.object({
  label: z
    .string()
    .check(z.describe("The choice in one to five words (required)"), z.refine(hasText, blank())),
  description: z.string().check(z.describe("What choosing it means (required)")),
  preview: z.optional(
    z.string().check(z.describe("What it would look like, in Markdown, to compare; not with multiSelect")),
  ),
});

const QuestionInput = z.object({
  question: z
    .string()
    .check(
      z.describe("The whole question, with a question mark at its end (required)"),
      z.refine(hasText, blank()),
    ),
  header: z.string().check(
    z.describe(
      `A tag of at most ${MAX_HEADER_CHARS} characters, such as “Auth method” or “Library” (required)`,
    ),
    z.refine(hasText, blank()),
    z.refine(
      (text) => [...text].length <= MAX_HEADER_CHARS,
      `must have at most ${MAX_HEADER_CHARS} characters`,
    ),
  ),
  options: z.array(Option).check(
    z.minLength(MIN_OPTIONS),
    z.maxLength(MAX_OPTIONS),
    z.describe(`${MIN_OPTIONS} to ${MAX_OPTIONS} choices; “Other” is added to them (required)`),
    z.refine((options) => areDifferent(options.map(({ label }) => plain(label))), "labels must differ"),
    z.refine(
      (options) => options.every(({ label }) => plain(label) !== "other"),
      "“Other” is always offered: leave it out",
    ),
  ),
  multiSelect: z.boolean().check(z.describe("Whether several may be chosen (required)")),
});

const Input = z.strictObject({
  questions: z.array(QuestionInput).check(
    z.minLength(MIN_QUESTIONS),
    z.maxLength(MAX_QUESTIONS),
    z.describe(`${MIN_QUESTIONS} to ${MAX_QUESTIONS} questions, asked together (required)`),
    z.refine((questions) => areDifferent(questions.map(({ question }) => question)), "questions must differ"),
  ),
});
type Input = z.infer<typeof Input>;

/** A question with its answer: labels of options, or other text of the user; neither: no answer. */
export interface Answered {
  readonly question: Question;
  readonly labels: readonly string[];
  readonly own: string | null;
}

/** Asks the user questions: the supervisor. */
export interface QuestionService {
  question(questions: readonly Question[], context: CallContext): Promise<ChoiceOutcome>;
}

const prompt: ToolPrompt = {
  what: "Asks the user up to a few questions with choices, and waits for the answers.",
  when: "when what to do depends on a decision of the user: a requirement that can be read in two ways, a choice between designs, libraries or trade-offs.",
  whenNot: [
    "for what you can find out by looking, for what has an obvious answer, or for permission to make a call: that is asked for you if needed.",
    naming`Whether a plan is good is asked by ${"ExitPlanMode"}.`,
  ],
  how: `questions holds ${MIN_QUESTIONS} to ${MAX_QUESTIONS} of them: ask what belongs together in one call. Each has ${MIN_OPTIONS} to ${MAX_OPTIONS} options that exclude each other, or multiSelect: true where several can be chosen; a header of at most ${MAX_HEADER_CHARS} characters; labels of one to five words. Put what you recommend first and end its label with “(Recommended)”. Never write an option “Other”: the user can always answer with other text.`,
  recover:
    "if no user is available or answers, decide yourself, continue, and say in your reply what you assumed. Do not ask the same again.",
  limits:
    "the user sees questions of several agents one after the other; it can take long, and you wait for it. A preview is shown only if one option can be chosen.",
};

export function askUserQuestionTool(service: QuestionService): Tool<Input, readonly Answered[], CallContext> {
  return {
    name: "AskUserQuestion",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    title: ({ questions }) => questions.map(({ header }) => header).join(", "),
    async call({ questions: given }, context) {
      const questions = given.map(asAsked);
      const outcome = await service.question(questions, context);
      switch (outcome.type) {
        case "answers":
          return questions.map((question) => answered(question, outcome.answers));
        case "deny":
          return failed(
            `${outcome.reason} Decide yourself, continue, and say in your reply what you assumed.`,
          );
        default:
          return outcome satisfies never;
      }
    },
    mapToolResultToToolResultBlockParam: (answers) =>
      ["The user's answers:", ...answers.map((one) => `- ${line(one)}`)].join("\n"),
  };
}

function asAsked({ options, ...question }: Input["questions"][number]): Question {
  return {
    ...question,
    options: options.map(({ label, description, preview }) => ({
      label,
      description,
      // Previews are for comparing alternatives.
      ...(preview === undefined || question.multiSelect ? {} : { preview }),
    })),
  };
}

/** Returns what an answer chose; several labels may be a list, or one line. */
function answered(question: Question, answers: Answers): Answered {
  const answer = Object.hasOwn(answers, question.question) ? answers[question.question] : undefined;
  const said = (typeof answer === "string" ? [answer] : (answer ?? [])).filter(hasText);
  const isLabel = (text: string) => question.options.some(({ label }) => label === text);
  const [only = ""] = said;
  const listed = only.split(", ");
  const parts =
    said.length === 1 && question.multiSelect && !isLabel(only) && listed.every(isLabel) ? listed : said;
  const own = parts.filter((text) => !isLabel(text));
  return { question, labels: parts.filter(isLabel), own: own.length === 0 ? null : own.join("\n") };
}

/** As JSON, so that no answer looks like two. */
function line({ question, labels, own }: Answered): string {
  const asked = JSON.stringify(question.question);
  const chosen =
    question.multiSelect || labels.length > 1 ? JSON.stringify(labels) : JSON.stringify(labels[0]);
  const words = `${JSON.stringify(own)} (other text)`;
  if (own !== null) return labels.length === 0 ? `${asked}: ${words}` : `${asked}: ${chosen} and ${words}`;
  return labels.length === 0 ? `${asked}: no answer; decide yourself` : `${asked}: ${chosen}`;
}

function hasText(text: string): boolean {
  return text.trim() !== "";
}

function areDifferent(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

function plain(label: string): string {
  return label.trim().toLowerCase();
}

function blank(): string {
  return "must not be blank";
}
