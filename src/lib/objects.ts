/** True for an object with keys, not for a list or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the options that are given: without those that are undefined. */
export function given<T extends object>(options: T): Given<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>;
}
