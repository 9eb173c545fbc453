/** How to take secrets out of what is written down, as data. */
export interface Redaction {
  /** Finds something in every text that has a secret in it, also as a JSON string. Not global. */
  readonly suspect: RegExp;
  readonly replace: readonly { readonly find: RegExp; readonly by: string }[];
}

/** Words of records, not of people: with another one in their place no reader would take the record. */
const WORDS_OF_RECORDS: ReadonlySet<string> = new Set(["type", "role", "status", "stop_reason"]);
const WORD = /^[a-z_-]{1,32}$/;

/** The JSON without secrets: only what strings hold is changed, so that it stays the JSON of such a record. */
export function redactJson(json: string, { suspect, replace }: Redaction): string {
  if (!suspect.test(json)) return json;
  return JSON.stringify(JSON.parse(json), (key, value: unknown) => {
    if (typeof value !== "string" || (WORDS_OF_RECORDS.has(key) && WORD.test(value))) return value;
    return replace.reduce((text, { find, by }) => text.replace(find, by), value);
  });
}
