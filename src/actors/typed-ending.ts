import { MOST_RETRIES, retryText } from "../context/agents/retry-text.ts";
import type { Checked } from "../lib/json-schema.ts";
import type { JsonSchema } from "../mailbox/messages.ts";
import type { Ending } from "./ending.ts";

export type TypedEnding =
  | { readonly type: "ends"; readonly ending: Ending }
  /** `note`: the text for its model before it answers again. */
  | { readonly type: "again"; readonly note: string };

/**
 * Checks an ending whose text must be data. One that is `done` and does not fit is retried; after the last retry it
 * is `partial`, with its text as it is. `isLast`: no further reply may be requested.
 */
export async function typedEnding(
  ending: Ending,
  schema: JsonSchema,
  {
    retries,
    isLast,
    check,
  }: { readonly retries: number; readonly isLast: boolean; readonly check: CheckData },
): Promise<TypedEnding> {
  const ends = (more: Partial<Ending>): TypedEnding => ({ type: "ends", ending: { ...ending, ...more } });
  const data = parseAnswer(ending.text);
  const found = data.type === "data" ? await check(schema, data.value) : null;
  if (data.type === "data" && found?.type === "fits") return ends({ output: data.value });
  if (found?.type === "unusable")
    return ends(
      partly(ending, `Its output_schema cannot be used (${found.reason}), so its answer was not checked.`),
    );
  const complaints =
    data.type === "none" ? [`It ${data.reason}.`] : found?.type === "misfit" ? found.complaints : [];
  if (!isLast && retries < MOST_RETRIES) return { type: "again", note: retryText(complaints, schema) };
  const times = retries === 0 ? "" : ` after ${retries === 1 ? "a second try" : `${retries + 1} tries`}`;
  return ends(partly(ending, `Its answer does not fit its output_schema${times}: ${complaints.join("; ")}`));
}

/** Puts any other reason for its early end first. */
function partly({ status, reason }: Ending, why: string): Pick<Ending, "status" | "reason"> {
  return { status: status === "done" ? "partial" : status, reason: [reason, why].filter(Boolean).join(" ") };
}

type ParseAnswer =
  | { readonly type: "data"; readonly value: unknown }
  /** `reason` follows "Your answer" in a sentence. */
  | { readonly type: "none"; readonly reason: string };

const FENCE = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm;

/**
 * Finds the JSON in an answer: all of it, its last fenced block of JSON, or the text between its outermost brackets.
 */
export function parseAnswer(text: string): ParseAnswer {
  const fenced = [...text.matchAll(FENCE)].map((match) => match[2] ?? "");
  let failure = "is no JSON";
  for (const candidate of [text, ...fenced.toReversed(), between(text, "{", "}"), between(text, "[", "]")]) {
    if (candidate.trim() === "") continue;
    try {
      return { type: "data", value: JSON.parse(candidate) };
    } catch (error) {
      // The likeliest candidate looks like data, and its error helps most.
      if (/^\s*[[{]/.test(candidate) && error instanceof Error) failure = `is no JSON: ${error.message}`;
    }
  }
  return { type: "none", reason: text.trim() === "" ? "is empty" : failure };
}

function between(text: string, open: string, close: string): string {
  const [from, to] = [text.indexOf(open), text.lastIndexOf(close)];
  return from < 0 || to < from ? "" : text.slice(from, to + 1);
}

/** Checks data against a schema. A pattern of the schema's author may never end, so `checkData` runs in a thread. */
export type CheckData = (schema: JsonSchema, value: unknown) => Promise<CheckedData>;

export type CheckedData =
  | Exclude<Checked, { type: "misfit" }>
  /** What does not fit, one line each, with the path of the value. */
  | { readonly type: "misfit"; readonly complaints: readonly string[] };
