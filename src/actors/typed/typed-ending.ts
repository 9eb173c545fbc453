import type { JsonSchema } from "../../mailbox/messages.ts";
import type { Ending } from "../ending.ts";
import { checked } from "./check.ts";
import { parseAnswer } from "./parse-answer.ts";
import { MOST_RETRIES, retryText } from "./retry-text.ts";

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
  { retries, isLast }: { readonly retries: number; readonly isLast: boolean },
): Promise<TypedEnding> {
  const ends = (more: Partial<Ending>): TypedEnding => ({ type: "ends", ending: { ...ending, ...more } });
  const data = parseAnswer(ending.text);
  const found = data.type === "data" ? await checked(schema, data.value) : null;
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
