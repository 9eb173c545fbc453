import type { PermissionMode } from "../../settings/rules.ts";

/** The session's permission mode for all its agents; the gate reads it at each call (A6.7). */
export interface SessionMode {
  current(): PermissionMode;
  /** Returns why settings do not allow this mode, or null. */
  whyNot(mode: PermissionMode): string | null;
  set(mode: PermissionMode): void;
  /** Registers a callback for each change of mode. */
  onChange(call: (mode: PermissionMode) => void): void;
}

export function modeFrom(
  initial: PermissionMode,
  whyNot: (mode: PermissionMode) => string | null = () => null,
): SessionMode {
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
