import { isAbsolute } from "node:path";
import * as z from "zod/mini";
import { isObject, type JsonObject } from "./json.ts";
import type { LimitRange } from "./limit-ranges.ts";

/** A check whose one message follows the setting's name: "model must be the name of a model". */
export type Check<T> = z.ZodMiniType<T>;

/** What values of a setting are. */
export interface Kind<T> {
  /** Where each entry is a setting of its own, of an object with such entries. */
  readonly check: Check<T>;
  /** In words, for the documentation. */
  readonly type: string;
  /** How such values of several files come together; the last one counts unless this says otherwise. */
  readonly merge?: Merge;
}

/**
 * How the values of several files come together. `last`: the last one counts. `entries`: each entry is a
 * setting of its own, and its last value counts. `each`: all of them count.
 */
export type Merge = "last" | "entries" | "each";

export function kind<T>(type: string, what: string, fits: (value: unknown) => boolean): Kind<T> {
  return { type, check: z.custom<T>(fits, `must be ${what}`) };
}

export function text(what: string): Kind<string> {
  return kind("text", what, isText);
}

export function texts(what: string): Kind<readonly string[]> {
  const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
  return { ...kind<readonly string[]>(`list of ${what}`, `a list of ${what}`, areTexts), merge: "each" };
}

/** A relative one would mean another folder each time. */
export function folders(): Kind<readonly string[]> {
  const isRooted = (one: unknown) => typeof one === "string" && (isAbsolute(one) || /^~($|\/)/.test(one));
  const areRooted = (value: unknown) => Array.isArray(value) && value.every(isRooted);
  const what = "a list of folders that start with / or ~/";
  return { ...kind<readonly string[]>("list of folders", what, areRooted), merge: "each" };
}

export function wholeIn({ min, max }: LimitRange): Kind<number> {
  const fits = (value: unknown) => isWholeIn(value, { min, max });
  return kind(`whole number, ${min} to ${max}`, `a whole number from ${min} to ${max}`, fits);
}

export function isWholeIn(value: unknown, { min, max }: LimitRange): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

export function numberIn({ min, max }: LimitRange): Kind<number> {
  const fits = (value: unknown) => typeof value === "number" && value >= min && value <= max;
  return kind(`number, ${min} to ${max}`, `a number from ${min} to ${max}`, fits);
}

/** Objects by name, each with some of these numbers and nothing else; those of `needed` must be there. */
export function numbersByName<N extends string>(
  type: string,
  ranges: Readonly<Record<N, LimitRange>>,
  what: string,
  needed: readonly NoInfer<N>[] = [],
): Kind<Readonly<Record<string, Readonly<Partial<Record<N, number>>>>>> {
  const known: Readonly<Record<string, LimitRange>> = ranges;
  const isNumber = ([name, value]: [string, unknown]) =>
    Object.hasOwn(known, name) &&
    typeof value === "number" &&
    value >= (known[name]?.min ?? 0) &&
    value <= (known[name]?.max ?? 0);
  const isEntry = (value: unknown) =>
    isObject(value) &&
    Object.entries(value).every(isNumber) &&
    needed.every((name) => Object.hasOwn(value, name));
  return kind(type, what, (value) => isObject(value) && Object.values(value).every(isEntry));
}

export function oneOf<C extends string>(words: readonly C[]): Kind<C> {
  const type = words.map((word) => `\`${word}\``).join(", ");
  const what = `one of ${words.map((word) => `"${word}"`).join(", ")}`;
  return kind(type.replace(/, ([^,]*)$/, " or $1"), what, (value) => words.some((word) => word === value));
}

export function yesOrNo(): Kind<boolean> {
  return kind("true or false", "true or false", (value) => typeof value === "boolean");
}

export function object(): Kind<JsonObject> {
  return kind("object", "an object", isObject);
}

/** Entries by name, each of them an object. */
export function objects(what: string): Kind<Readonly<Record<string, JsonObject>>> {
  const areObjects = (value: unknown) => isObject(value) && Object.values(value).every(isObject);
  return kind(`object of ${what}`, "an object", areObjects);
}

/** Texts by name. */
export function namesByName(what: string): Kind<Readonly<Record<string, string>>> {
  const areTexts = (value: unknown) => isObject(value) && Object.values(value).every(isText);
  return kind(`object of ${what}`, `an object of ${what} by name`, areTexts);
}

/** People write numbers and booleans for what every program gets as text. */
export function variables(): Kind<Readonly<Record<string, string>>> {
  const isVariable = ([name, value]: [string, unknown]) =>
    /^[A-Za-z_]\w*$/.test(name) &&
    (typeof value === "number" ||
      typeof value === "boolean" ||
      (typeof value === "string" && !value.includes("\0")));
  const check = z.pipe(
    z.custom<JsonObject>(
      (value) => isObject(value) && Object.entries(value).every(isVariable),
      "must be a variable's name (letters, digits, _) with a text, a number, true or false",
    ),
    z.transform((values: JsonObject) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    ),
  );
  return { type: "object of texts", check, merge: "entries" };
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !value.includes("\0");
}
