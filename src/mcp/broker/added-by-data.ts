import { canonicalJson } from "../../lib/json.ts";
import { isObject } from "../../lib/objects.ts";

/** A shorter value can be in a text by chance: it counts only together with the name of its field. */
const TELLING_CHARS = 6;
/** Larger data is compared as a whole only: a server must not make the broker compare for seconds. */
const MAX_COMPARED = 50_000;

/**
 * Returns what data adds to texts, which often say the same: fields that they have are left out, and `undefined` means
 * that nothing remains. Lists keep their length, because a position can have a meaning.
 */
export function addedByData(texts: readonly string[], data: unknown): unknown {
  const whole = canonicalJson(data);
  if (texts.some((text) => text === data || canonicalText(text) === whole)) return;
  const said = words(texts.join("\n"));
  return said.length + whole.length > MAX_COMPARED ? data : unsaid(data, "", said);
}

/** True if each text is a value of the data or the JSON of one, at most two levels down: then the data says all. */
export function isInData(texts: readonly string[], data: unknown): boolean {
  const levels = [[data], partsOf(data), partsOf(data).flatMap(partsOf)].flat();
  const values = new Set(levels.map((part) => (typeof part === "string" ? part : canonicalJson(part))));
  return texts.every((text) => values.has(text) || values.has(canonicalText(text) ?? text));
}

function partsOf(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function unsaid(value: unknown, name: string, said: string): unknown {
  if (value === null) return;
  if (Array.isArray(value)) {
    const parts = value.map((part: unknown) => unsaid(part, name, said));
    if (parts.every((part) => part === undefined)) return;
    return parts.map((part, at): unknown => part ?? (isObject(value[at]) ? {} : value[at]));
  }
  if (isObject(value)) {
    const parts = Object.entries(value).map(([key, part]) => [key, unsaid(part, key, said)] as const);
    const left = parts.filter(([, part]) => part !== undefined);
    return left.length === 0 ? undefined : Object.fromEntries(left);
  }
  const own = words(String(value));
  const isTelling = own.length >= TELLING_CHARS || said.includes(words(name));
  return isTelling && said.includes(own) ? undefined : value;
}

/** Lower-case words with one space around each: other punctuation is another way to say the same. */
function words(text: string): string {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return ` ${found.join(" ")} `;
}

function canonicalText(text: string): string | null {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return null;
  }
}
