import * as z from "zod/mini";
import type { ElicitationAnswer } from "../../mcp/mcp.ts";
import type { Answers, Question } from "../../policy/user-requests.ts";

/** One field of a server's form; the protocol has no others. */
const Field = z.looseObject({
  type: z.optional(z.string()),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  enum: z.optional(z.array(z.string())),
  oneOf: z.optional(z.array(z.looseObject({ const: z.string(), title: z.optional(z.string()) }))),
  items: z.optional(z.looseObject({ enum: z.optional(z.array(z.string())) })),
});
type Field = z.infer<typeof Field>;

const Schema = z.looseObject({
  properties: z.optional(z.record(z.string(), Field)),
  required: z.optional(z.array(z.string())),
});

const NUMBERS: Readonly<Record<string, { readonly what: string; readonly no: string }>> = {
  integer: { what: "a whole number", no: "no whole number" },
  number: { what: "a number", no: "no number" },
};
const YES = "Yes";
const NO = "No";
const DECLINE = "Decline";
const LEAVE_OUT = "Leave it out";
const MOST_FIELDS = 8;
const MOST_CHOICES = 30;

export interface Misfit {
  readonly question: Question;
  readonly why: string;
}

/** A server's form as questions, one for each field. */
export interface ServerForm {
  readonly questions: readonly Question[];
  /** Returns the answer as the form needs it, which is a no as long as there are answers that do not fit. */
  read(answers: Answers): { readonly answer: ElicitationAnswer; readonly misfits: readonly Misfit[] };
}

export function formOf(message: string, schema: unknown): ServerForm | null {
  const { data } = z.safeParse(Schema, schema);
  const { properties = {}, required = [] } = data ?? {};
  const fields = Object.entries(properties);
  const isLong = fields.some(([, field]) => (labelsOf(field) ?? []).length > MOST_CHOICES);
  if (data === undefined || fields.length > MOST_FIELDS || isLong) return null;
  if (fields.length === 0) return consent(message);
  const seen = new Set<string>();
  const asked = fields.map(([name, field], place) => {
    const isRequired = required.includes(name);
    const words = wordsOf(name, field);
    // Answers are keyed by the question's text, so no two may be equal.
    const what = seen.has(words) ? `${words} [${name}]` : words;
    seen.add(what);
    const question: Question = {
      question: place === 0 ? `${message}\n${what}` : what,
      header: name,
      options: choices([...(labelsOf(field) ?? []), isRequired ? DECLINE : LEAVE_OUT]),
      multiSelect: field.type === "array",
    };
    return { name, field, isRequired, question };
  });
  return {
    questions: asked.map(({ question }) => question),
    read(answers) {
      const content: Record<string, string | number | boolean | string[]> = {};
      const misfits: Misfit[] = [];
      for (const { name, field, isRequired, question } of asked) {
        const words = answers[question.question];
        if (words === undefined || words === DECLINE) return { answer: { action: "decline" }, misfits: [] };
        if (words === LEAVE_OUT && !isRequired) continue;
        const value = fieldValue(field, words);
        if (value !== null) content[name] = value;
        else misfits.push({ question, why: whyNot(field, words) });
      }
      return { answer: misfits.length > 0 ? { action: "decline" } : { action: "accept", content }, misfits };
    },
  };
}

function consent(message: string): ServerForm {
  const options = choices([YES, DECLINE]);
  return {
    questions: [{ question: message, header: "Server", options, multiSelect: false }],
    read: (answers) => ({
      answer: answers[message] === YES ? { action: "accept", content: {} } : { action: "decline" },
      misfits: [],
    }),
  };
}

function whyNot({ type = "" }: Field, words: string | readonly string[]): string {
  const text = typeof words === "string" ? words : words.join(", ");
  return `“${text}” is ${NUMBERS[type]?.no ?? "none of the choices"}`;
}

/** Returns the field's text, and its type if nothing else shows it. */
function wordsOf(name: string, { title = name, description, type = "" }: Field): string {
  const what = [title, description].filter(Boolean).join(": ");
  const number = NUMBERS[type];
  return number === undefined ? what : `${what} (${number.what})`;
}

function labelsOf(field: Field): readonly string[] | null {
  if (field.type === "boolean") return [YES, NO];
  return field.enum ?? field.oneOf?.map((one) => one.const) ?? field.items?.enum ?? null;
}

function fieldValue(
  field: Field,
  words: string | readonly string[],
): string | number | boolean | string[] | null {
  const text = typeof words === "string" ? words : words.join(", ");
  switch (field.type) {
    case "boolean":
      return text === YES ? true : text === NO ? false : null;
    case "integer":
    case "number": {
      const number = text.trim() === "" ? Number.NaN : Number(text);
      const fits = Number.isFinite(number) && (field.type === "number" || Number.isInteger(number));
      return fits ? number : null;
    }
    case "array": {
      const chosen = typeof words === "string" ? words.split(",").map((one) => one.trim()) : [...words];
      const known = labelsOf(field);
      return known === null || chosen.every((one) => known.includes(one)) ? chosen : null;
    }
    default: {
      const known = labelsOf(field);
      return known === null || known.includes(text) ? text : null;
    }
  }
}

function choices(labels: readonly string[]): Question["options"] {
  return labels.map((label) => ({ label, description: "" }));
}
