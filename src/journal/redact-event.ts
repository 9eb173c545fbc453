/** How to remove secrets from what is written, as data. */
export interface Redaction {
  /** Matches every text that has a secret in it, also as a JSON string. Not global. */
  readonly suspect: RegExp;
  readonly replace: readonly { readonly find: RegExp; readonly by: string }[];
}

/** Fixed values of records, not free text: with another value no reader would accept the record. */
const WORDS_OF_RECORDS: ReadonlySet<string> = new Set(["type", "role", "status", "stop_reason"]);
const WORD = /^[a-z_-]{1,32}$/;

/** Returns the JSON without secrets: changes only strings, so that it stays the JSON of such a record. */
export function redactJson(json: string, { suspect, replace }: Redaction): string {
  if (!suspect.test(json)) return json;
  return JSON.stringify(JSON.parse(json), (key, value: unknown) => {
    if (typeof value !== "string" || (WORDS_OF_RECORDS.has(key) && WORD.test(value))) return value;
    return replace.reduce((text, { find, by }) => text.replace(find, by), value);
  });
}
