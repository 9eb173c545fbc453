import { isObject } from "./objects.ts";

/** A JSON object. Read only its own keys: a file can name one `__proto__`. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value at a path of own keys, or undefined. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

/** Returns the text of an own key, or null. */
export function textAt(value: unknown, key: string): string | null {
  const text = valueAt(value, [key]);
  return typeof text === "string" ? text : null;
}

/** Parses JSON; undefined if the text is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the strings that are not blank in a list, or a single string as a list of one. */
export function textsIn(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === "string" && one.trim() !== "").map(String);
}

/** Formats a value as JSON with its keys sorted: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      isObject(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ""
  );
}
