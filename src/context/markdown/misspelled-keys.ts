import { nearName } from "../../lib/near-name.ts";
import type { FieldProblem, Fields } from "./fields.ts";

/** Keys that other programs read from the same files and that are similar to known ones. */
const ELSEWHERE: ReadonlySet<string> = new Set(["mode", "permission", "version", "license", "metadata"]);
/** What is farther away is the author's own key. */
const MOST_EDITS = 2;
const MAX_REPORTED = 5;

export interface KnownKeys {
  /** For messages: `an agent`. */
  readonly of: string;
  readonly known: readonly string[];
  /** Keys that mean a known one elsewhere, by how they are written there. */
  readonly meant: Readonly<Record<string, string>>;
}

/** A key that is most likely a known one, misspelled. */
export interface MisspelledKey extends FieldProblem {
  readonly meant: string;
}

/** Returns keys with a value that are unknown and near a known one that is absent. Authors may note anything else. */
export function misspelledKeys(fields: Fields, { of, known, meant }: KnownKeys): readonly MisspelledKey[] {
  // Nearly always, and there may be hundreds of files.
  if ([...fields.keys()].every((key) => known.includes(key))) return [];
  const plainKnown = new Set(known.map(plainKey));
  const present = new Set([...fields.keys()].map(plainKey));
  const absent = known.filter((key) => !present.has(plainKey(key)));
  return [...fields]
    .flatMap(([key, { value, line }]): MisspelledKey[] => {
      const plain = plainKey(key);
      if (value === null || plainKnown.has(plain) || ELSEWHERE.has(plain)) return [];
      const other = Object.entries(meant).find(([one]) => plainKey(one) === plain)?.[1];
      const near =
        other === undefined
          ? nearName(key, absent, MOST_EDITS)
          : (absent.find((one) => one === other) ?? null);
      const message = `${key} is not a key of ${of}, so it does not count; the nearest is ${near}.`;
      return near === null ? [] : [{ line, message, meant: near }];
    })
    .slice(0, MAX_REPORTED);
}

/** Returns the form in which `disallowed-tools`, `disallowed_tools` and `disallowedTools` are one key. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, "");
}
