import { jsonCheck } from "../lib/json-schema.ts";
import type { JsonSchema } from "../mailbox/messages.ts";
import type { CheckedData } from "./ending.ts";

const MOST_COMPLAINTS = 10;

/** See `CheckData`. */
export function checkData(schema: JsonSchema, value: unknown): CheckedData {
  const checked = jsonCheck(schema)(value);
  if (checked.type !== "misfit") return checked;
  const lines = checked.misfits.map(({ path, keyword, text }) => {
    const place = path.length === 0 ? "the whole" : path.map((name) => `/${name}`).join("");
    return `${place}: ${keyword === "false" ? "There must be no such property." : text}`;
  });
  return { type: "misfit", complaints: [...new Set(lines)].slice(0, MOST_COMPLAINTS) };
}
