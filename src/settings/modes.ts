import * as z from "zod/mini";
import { type Kind, oneOf } from "./checks.ts";
import type { PermissionMode } from "./rules.ts";

/** From the narrowest to the widest: what an earlier one lets pass without a question, a later one does too. */
const NARROWEST_FIRST: readonly PermissionMode[] = [
  "plan",
  "dontAsk",
  "default",
  "acceptEdits",
  "bypassPermissions",
];

/** How much a mode lets pass; what is no mode lets everything pass. */
export function widthOf(mode: unknown): number {
  const modes: readonly unknown[] = NARROWEST_FIRST;
  const at = modes.indexOf(mode);
  return at < 0 ? NARROWEST_FIRST.length : at;
}

export function isWider(mode: PermissionMode, than: PermissionMode): boolean {
  return widthOf(mode) > widthOf(than);
}

export function narrower(mode: PermissionMode, other: PermissionMode = mode): PermissionMode {
  return isWider(mode, other) ? other : mode;
}

/** `bypass` is the same mode by its other name (A22.25). */
export function modes(): Kind<PermissionMode> {
  const { type, check } = oneOf(NARROWEST_FIRST);
  const named = z.transform((value: unknown) => (value === "bypass" ? "bypassPermissions" : value));
  return { type, check: z.pipe(named, check) };
}
