import type { Rule } from "./rules.ts";

export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions" | "dontAsk";

/** Whether a deny rule forbids all of a tool, so that it need not even be offered. */
export function isOff(rules: readonly Rule[], names: readonly string[]): boolean {
  return rules.some(
    ({ behaviour, text }) => behaviour === "deny" && names.includes(text.trim().replace(/\(\*\)$/, "")),
  );
}
