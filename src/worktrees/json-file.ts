import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { isMissing } from "../lib/errors.ts";
import { parseJson } from "../lib/json.ts";

/**
 * Returns what a file says; null if it is missing, or does not fit the schema. Throws if it cannot be read: then nothing is
 * known of what it says.
 */
export function readJsonFile<T>(schema: z.ZodMiniType<T>, path: string): T | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  return z.safeParse(schema, parseJson(text)).data ?? null;
}
