import * as z from "zod/mini";
import type { ElicitationAnswer } from "../../mcp/mcp.ts";
import type { Answers, Question } from "../../policy/asks.ts";

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

/** Returns the questions of a server's form, one for each field, or null if it cannot be asked. */
export function questionsFor(message: string, schema: unknown): readonly Question[] | null {
  const fields = fieldsOf(schema);
  if (fields === null || fields.length > MOST_FIELDS) return null;
  if (fields.length === 0)
    return [{ question: message, header: "Server", options: choices([YES, DECLINE]), multiSelect: false }];
  if (fields.some(({ field }) => (labelsOf(field) ?? []).length > MOST_CHOICES)) return null;
  const seen = new Set<string>();
  return fields.map(({ name, field, isRequired }, place) => {
    const words = wordsOf(name, field);
    // Answers are keyed by the question's text, so no two may be equal.
    const what = seen.has(words) ? `${words} [${name}]` : words;
    seen.add(what);
    return {
      question: place === 0 ? `${message}\n${what}` : what,
      header: name,
      options: choices([...(labelsOf(field) ?? []), isRequired ? DECLINE : LEAVE_OUT]),
      multiSelect: field.type === "array",
    };
  });
}

/** Returns the questions whose answers do not fit the form, each with the reason as a clause. */
export function misfits(
  answers: Answers,
  questions: readonly Question[],
  schema: unknown,
): readonly { readonly question: Question; readonly why: string }[] {
  const fields = fieldsOf(schema) ?? [];
  return questions.flatMap((question, place) => {
    const words = answers[question.question];
    const field = fields[place]?.field;
    const given = words === undefined || words === DECLINE || words === LEAVE_OUT;
    if (field === undefined || given || fieldValue(field, words) !== null) return [];
    const text = typeof words === "string" ? words : words.join(", ");
    return [{ question, why: `“${text}” is ${NUMBERS[field.type ?? ""]?.no ?? "none of the choices"}` }];
  });
}

/** Returns the answers as the form needs them; an answer that does not fit counts as declined. */
export function contentOf(
  answers: Answers,
  questions: readonly Question[],
  schema: unknown,
): ElicitationAnswer {
  const fields = fieldsOf(schema) ?? [];
  const said = (place: number) => answers[questions[place]?.question ?? ""];
  if (fields.length === 0) return said(0) === YES ? { action: "accept", content: {} } : { action: "decline" };
  const content: Record<string, string | number | boolean | string[]> = {};
  for (const [place, { name, field, isRequired }] of fields.entries()) {
    const words = said(place);
    if (words === undefined || words === DECLINE) return { action: "decline" };
    if (words === LEAVE_OUT && !isRequired) continue;
    const value = fieldValue(field, words);
    if (value === null) return { action: "decline" };
    content[name] = value;
  }
  return { action: "accept", content };
}

function fieldsOf(
  schema: unknown,
): readonly { readonly name: string; readonly field: Field; readonly isRequired: boolean }[] | null {
  const parsed = z.safeParse(Schema, schema);
  if (!parsed.success) return null;
  const { properties = {}, required = [] } = parsed.data;
  return Object.entries(properties).map(([name, field]) => ({
    ...{ name, field, isRequired: required.includes(name) },
  }));
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

/** Returns null if the field does not take the value. */
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
