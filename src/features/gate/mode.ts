import type { PermissionMode } from "../../settings/rules.ts";

/** The session's mode, which holds for every agent of it: the gate reads it at each call (A6.7). */
export interface Mode {
  current(): PermissionMode;
  /** Why settings do not let the session go there, or null. */
  whyNot(mode: PermissionMode): string | null;
  set(mode: PermissionMode): void;
  /** Calls back with every other mode than the one before. */
  onChange(call: (mode: PermissionMode) => void): void;
}

export function modeFrom(
  initial: PermissionMode,
  whyNot: (mode: PermissionMode) => string | null = () => null,
): Mode {
  let mode = initial;
  const listeners: ((mode: PermissionMode) => void)[] = [];
  return {
    current: () => mode,
    whyNot,
    set(next) {
      if (next === mode) return;
      mode = next;
      for (const call of listeners) call(next);
    },
    onChange: (call) => void listeners.push(call),
  };
}
