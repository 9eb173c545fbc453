import type { JsonSchema } from "../../mailbox/messages.ts";

/** The most retries. */
export const MOST_RETRIES = 2;
const MISFIT = "[Troupe] Your answer is not yet what was asked for:";

/** Formats the end of an agent's prompt if its answer must be data. */
export function schemaWords(schema: JsonSchema): string {
  return `Your last message must be JSON that fits this JSON Schema, and nothing else (a fenced block of JSON is fine):
${JSON.stringify(schema)}`;
}

/** Formats the text after an answer that does not fit. */
export function retryText(complaints: readonly string[], schema: JsonSchema): string {
  return `${MISFIT}
${complaints.map((line) => `- ${line}`).join("\n")}
Answer again with the whole JSON, corrected, and nothing else. Its schema is:
${JSON.stringify(schema)}`;
}

/** Counts these texts among what it has received since its last input. */
export function retriesIn(
  heard: readonly { readonly text: string; readonly notice?: true | undefined }[],
): number {
  const since = heard.slice(heard.findLastIndex(({ notice }) => !notice) + 1);
  return since.filter(({ text }) => text.startsWith(MISFIT)).length;
}
