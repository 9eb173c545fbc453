import { FINDS, motions } from "./motions.ts";
import { isTextObject } from "./text-objects.ts";

export type Operator = "d" | "c" | "y";

/** What an operator works on. */
export type Target =
  | { readonly type: "motion"; readonly name: string; readonly unit?: string }
  | { readonly type: "object"; readonly name: string; readonly isAround: boolean }
  | { readonly type: "lines" };

export type VimCommand = { readonly count: number | undefined } & (
  | { readonly type: "move"; readonly target: Target & { readonly type: "motion" } }
  | { readonly type: "operate"; readonly operator: Operator; readonly target: Target }
  | { readonly type: "act"; readonly name: string; readonly unit?: string }
);

/** Keys that are short for others. */
const SHORT: Readonly<Record<string, string>> = {
  x: "dl",
  X: "dh",
  s: "cl",
  S: "cc",
  D: "d$",
  C: "c$",
  Y: "yy",
};
/** Keys that need no other. */
const ACTIONS = new Set([..."iIaAoOpPJ~u.", "\u0012"]);
/** More is a slip of the fingers, and would take long. */
const MOST = 999;

/** Returns what these keys mean; `more` if others must follow; null if they mean nothing. */
export function parseCommand(keys: readonly string[]): VimCommand | "more" | null {
  const first = countAt(keys, 0);
  const key = keys[first.next];
  if (key === undefined) return "more";
  const short = Object.hasOwn(SHORT, key) ? SHORT[key] : undefined;
  if (short !== undefined)
    return parseCommand([...keys.slice(0, first.next), ...short, ...keys.slice(first.next + 1)]);
  if (key === "r") {
    const unit = keys[first.next + 1];
    return unit === undefined ? "more" : { type: "act", name: key, unit, count: first.count };
  }
  if (ACTIONS.has(key)) return { type: "act", name: key, count: first.count };
  if (key !== "d" && key !== "c" && key !== "y") {
    const target = targetAt(keys, first.next, null);
    if (target === "more" || target === null) return target;
    return target.type === "motion" ? { type: "move", target, count: first.count } : null;
  }
  const second = countAt(keys, first.next + 1);
  const target = targetAt(keys, second.next, key);
  if (target === "more" || target === null) return target;
  const given = first.count ?? second.count;
  const count = given === undefined ? given : Math.min(MOST, (first.count ?? 1) * (second.count ?? 1));
  return { type: "operate", operator: key, target, count };
}

/** A 0 at the beginning is no count. */
function countAt(keys: readonly string[], from: number): { count: number | undefined; next: number } {
  let next = from;
  while (/^[0-9]$/.test(keys[next] ?? "") && (next > from || keys[next] !== "0")) next += 1;
  const digits = keys.slice(from, next).join("");
  return { count: digits === "" ? undefined : Math.min(MOST, Number(digits)), next };
}

/** `operator`: what comes before it. */
function targetAt(keys: readonly string[], at: number, operator: Operator | null): Target | "more" | null {
  const [key, after] = keys.slice(at);
  if (key === undefined) return "more";
  if (key === operator) return { type: "lines" };
  if (operator !== null && (key === "i" || key === "a")) {
    if (after === undefined) return "more";
    return isTextObject(after) ? { type: "object", name: after, isAround: key === "a" } : null;
  }
  if (FINDS.includes(key)) return after === undefined ? "more" : { type: "motion", name: key, unit: after };
  if (key === "g" && after === undefined) return "more";
  const name = key === "g" ? `g${after}` : key;
  return motions.has(name) ? { type: "motion", name } : null;
}
