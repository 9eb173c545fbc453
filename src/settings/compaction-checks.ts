import { isWholeIn, type Kind, kind } from "./checks.ts";
import { isObject } from "./json.ts";

/** Of a window; less would be spent on summaries alone. */
export const SHARE = { min: 0.1, max: 1 };
const TOKENS = { min: 1_000, max: 100_000_000 };

export function windows(): Kind<Readonly<Record<string, number>>> {
  return kind(
    "object of whole numbers",
    `an object of models, each a whole number of tokens from ${TOKENS.min} to ${TOKENS.max}`,
    (value) => isObject(value) && Object.values(value).every((tokens) => isWholeIn(tokens, TOKENS)),
  );
}
