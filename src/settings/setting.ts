import { isAbsolute } from "node:path";
import * as z from "zod/mini";
import type { JsonObject } from "../lib/json.ts";
import type { ModelAlias } from "../mailbox/model.ts";
import type { LimitRange } from "./limits.ts";

/**
 * When a value in a file of the project (project or local) counts. `always`: it can only restrict. `trusted`: once the
 * user trusts the directory. `stricter`: if it is stricter than what counted so far, whatever the trust. `never`: only
 * the user's and the organisation's files set it. `proposes`: it is a proposal, about which the user is asked elsewhere.
 * `managed`: only the organisation's file sets it.
 */
export type ProjectTrust = "always" | "trusted" | "stricter" | "never" | "proposes" | "managed";

/**
 * How the values of several files combine. `last`: the last one counts. `entries`: each entry is a setting of its own.
 * `each`: all of them count.
 */
export type Merge = "last" | "entries" | "each";

/** What values of a setting are. */
export interface SettingKind<T, M extends Merge = "last"> {
  readonly schema: z.ZodMiniType<T>;
  /** The same in words, after "must be". */
  readonly what: string;
  readonly merge?: M;
}

/** One setting: its schema, its meaning and its trust, in one place. */
export interface Setting<T, M extends Merge = Merge> extends Required<SettingKind<T, M>> {
  readonly path: readonly string[];
  readonly summary: string;
  /** What counts if no file sets it. */
  readonly fallback: string;
  readonly trust: ProjectTrust;
  /** How much a value permits. A value that permits less than what counted so far needs no trust. */
  readonly width?: (value: unknown) => number;
  /** True for a value or an entry that no project may set, trusted or not. */
  readonly isUserOnly?: (name: string, value: unknown) => boolean;
}

type Options = Partial<Pick<Setting<unknown>, "fallback" | "trust" | "width" | "isUserOnly">>;

export function setting<T>(
  name: string,
  kind: SettingKind<T>,
  summary: string,
  options?: Options,
): Setting<T, "last">;

export function setting<T, M extends Merge>(
  name: string,
  kind: Required<SettingKind<T, M>>,
  summary: string,
  options?: Options,
): Setting<T, M>;

export function setting<T>(
  name: string,
  kind: SettingKind<T, Merge>,
  summary: string,
  options: Options = {},
): Setting<T> {
  return {
    ...{ path: name.split("."), summary, merge: "last", trust: "trusted", fallback: "none" },
    ...kind,
    ...options,
  };
}

export function settingName({ path }: { readonly path: readonly string[] }): string {
  return path.join(".");
}

export function textSetting(what: string): SettingKind<string> {
  return { what, schema: nonBlank() };
}

export function nonBlank() {
  return z.string().check(z.refine((value) => value.trim() !== "" && !value.includes("\0")));
}

export function texts(what: string) {
  return { what: `a list of ${what}`, schema: z.array(nonBlank()), merge: "each" } as const;
}

/** Absolute directories: a relative one would mean another directory in each session. */
export function rootedDirs() {
  const schema = z.array(rooted());
  return { what: "a list of directories that start with / or ~/", schema, merge: "each" } as const;
}

/** A path that means the same in each session. */
export function rooted() {
  return z.string().check(z.refine((path) => isAbsolute(path) || /^~($|\/)/.test(path)));
}

export function wholeSetting(range: LimitRange): SettingKind<number> {
  return { what: `a whole number from ${range.min} to ${range.max}`, schema: inRange(range, z.int()) };
}

export function number(range: LimitRange): SettingKind<number> {
  return { what: `a number from ${range.min} to ${range.max}`, schema: inRange(range) };
}

export function inRange({ min, max }: LimitRange, of: z.ZodMiniNumber = z.number()): z.ZodMiniNumber {
  return of.check(z.minimum(min), z.maximum(max));
}

export function oneOf<const C extends string>(words: readonly C[]): SettingKind<C> {
  return { what: `one of ${words.map((word) => `"${word}"`).join(", ")}`, schema: z.enum(words) };
}

export function yesOrNo(): SettingKind<boolean> {
  return { what: "true or false", schema: z.boolean() };
}

export function object(): z.ZodMiniType<JsonObject> {
  return z.record(z.string(), z.unknown());
}

/** An object whose entries are settings of their own. */
export function entries<T>(what: string, schema: z.ZodMiniType<Readonly<Record<string, T>>>) {
  return { what, schema, merge: "entries" } as const;
}

/** Objects by name. */
export function objects() {
  return entries("an object", z.record(z.string(), object()));
}

export function alias(name: ModelAlias): Setting<string> {
  const summary = `The full ID of the model that \`${name}\` stands for.`;
  return setting(`troupe.aliases.${name}`, textSetting("the name of a model"), summary, {
    fallback: "the newest of its family",
  });
}

/** True for a setting, false for a group of them. */
export function isSetting(one: object): one is Setting<unknown> {
  return "fallback" in one;
}
