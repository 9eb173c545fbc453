import type { ShellWord } from "../shell/words.ts";

/** The effect of a `cd`. */
export type DirectoryChange = { readonly to: string } | { readonly to: null; readonly reason: string };

/** Returns the target of a `cd` as it is written. */
export function cdTarget(words: readonly ShellWord[], home: string): DirectoryChange {
  const rest = words.slice(1);
  const end = rest.findIndex(({ value }) => !/^-[LPe@]+$/.test(value));
  const from = end < 0 ? [] : rest.slice(end);
  const operands = from[0]?.value === "--" ? from.slice(1) : from;
  const [target, ...more] = operands;
  if (!target || more.length > 0)
    return { to: null, reason: "cd without one directory leads to a place that is not written" };
  const [first, ...others] = target.pieces;
  const own = first?.type === "tilde" && first.text === "~" && others.every(({ type }) => type === "text");
  if (own) return { to: `${home}${others.map(({ text }) => text).join("")}` };
  if (!target.literal || target.value === "" || target.value === "-" || target.value.startsWith("~"))
    return { to: null, reason: `where cd ${target.raw} leads is not known` };
  return { to: target.value };
}
