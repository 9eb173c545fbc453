import * as z from "zod/mini";
import type { LimitRange } from "../limit-ranges.ts";
import { isObject, type JsonObject } from "./json.ts";

/** A check whose one message follows the setting's name: "model must be the name of a model". */
export type Check<T> = z.ZodMiniType<T>;

export function text(what: string): Check<string> {
  return z.custom<string>((value) => isText(value), `must be ${what}`);
}

export function texts(what: string): Check<readonly string[]> {
  return z.custom<readonly string[]>(
    (value) => Array.isArray(value) && value.every(isText),
    `must be a list of ${what}`,
  );
}

export function wholeIn({ min, max }: LimitRange): Check<number> {
  return z.custom<number>(
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    `must be a whole number from ${min} to ${max}`,
  );
}

export function numberIn({ min, max }: LimitRange): Check<number> {
  return z.custom<number>(
    (value) => typeof value === "number" && value >= min && value <= max,
    `must be a number from ${min} to ${max}`,
  );
}

/** Objects by name, each with some of these numbers and nothing else; those of `needed` must be there. */
export function numbersByName<N extends string>(
  ranges: Readonly<Record<N, LimitRange>>,
  what: string,
  needed: readonly NoInfer<N>[] = [],
): Check<Readonly<Record<string, Readonly<Partial<Record<N, number>>>>>> {
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
  return z.custom<Readonly<Record<string, Readonly<Partial<Record<N, number>>>>>>(
    (value) => isObject(value) && Object.values(value).every(isEntry),
    `must be ${what}`,
  );
}

export function oneOf<C extends string>(words: readonly C[]): Check<C> {
  return z.custom<C>(
    (value) => words.some((word) => word === value),
    `must be one of ${words.map((word) => `"${word}"`).join(", ")}`,
  );
}

export function yesOrNo(): Check<boolean> {
  return z.custom<boolean>((value) => typeof value === "boolean", "must be true or false");
}

export function object(): Check<JsonObject> {
  return z.custom<JsonObject>(isObject, "must be an object");
}

/** Entries by name, each of them an object. */
export function objects(): Check<Readonly<Record<string, JsonObject>>> {
  return z.custom<Readonly<Record<string, JsonObject>>>(
    (value) => isObject(value) && Object.values(value).every(isObject),
    "must be an object",
  );
}

/** People write numbers and booleans for what every program gets as text. */
export function variables(): Check<Readonly<Record<string, string>>> {
  const isVariable = ([name, value]: [string, unknown]) =>
    /^[A-Za-z_]\w*$/.test(name) &&
    (typeof value === "number" ||
      typeof value === "boolean" ||
      (typeof value === "string" && !value.includes("\0")));
  return z.pipe(
    z.custom<JsonObject>(
      (value) => isObject(value) && Object.entries(value).every(isVariable),
      "must be a variable's name (letters, digits, _) with a text, a number, true or false",
    ),
    z.transform((values: JsonObject) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    ),
  );
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !value.includes("\0");
}
