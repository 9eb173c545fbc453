import type { JsonSchema } from "../../mailbox/messages.ts";
import { schemaFault } from "./schema-fault.ts";

/** So often it may answer again. */
export const MOST_RETRIES = 2;
const MISFIT = "[Troupe] Your answer is not yet what was asked for:";

/** What an agent is told at the end of its prompt, where its answer must be data. */
export function schemaWords(schema: JsonSchema): string {
  return `Your last message must be JSON that fits this JSON Schema, and nothing else (a fenced block of JSON is fine):
${JSON.stringify(schema)}`;
}

/** Why a schema cannot be asked for, in a sentence; null: it can. */
export function whyNoSchema(schema: JsonSchema): string | null {
  const fault = schemaFault(schema);
  return fault === null ? null : `The output_schema ${fault}.`;
}

/** After an answer that does not fit. */
export function retryText(complaints: readonly string[], schema: JsonSchema): string {
  return `${MISFIT}
${complaints.map((line) => `- ${line}`).join("\n")}
Answer again with the whole JSON, corrected, and nothing else. Its schema is:
${JSON.stringify(schema)}`;
}

/** How often it was told so already, in what it has heard since it was last asked something. */
export function retriesIn(
  heard: readonly { readonly text: string; readonly notice?: true | undefined }[],
): number {
  const since = heard.slice(heard.findLastIndex(({ notice }) => !notice) + 1);
  return since.filter(({ text }) => text.startsWith(MISFIT)).length;
}
