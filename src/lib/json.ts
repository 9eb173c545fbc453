/** A JSON object. Read only its own keys: a file can name one `__proto__`. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the fields of an object; none if the value is another one. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

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

/** True for an object with keys, not for a list or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the options that are given: without those that are undefined. */
export function given<T extends object>(options: T): Given<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>;
}
