import { existsSync } from "node:fs";
import type { PermissionMode } from "../settings/permissions.ts";

export interface RunningAs {
  /** Null where the system has no such thing. */
  readonly uid: number | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the process is inside a container, whose end is not the machine's. */
  readonly contained: boolean;
}

/** Why this mode may not be entered by this user, or null. Without a question root could lose a whole machine. */
export function whyNotAsRoot(mode: PermissionMode, { uid, env, contained }: RunningAs): string | null {
  if (mode !== "bypassPermissions" || uid !== 0 || contained || env["IS_SANDBOX"] === "1") return null;
  return "bypassPermissions is refused for root outside a container: nothing would protect the machine from an agent. Run as another user, use a container, or set IS_SANDBOX=1 if this is one.";
}

/** What container engines leave behind for programs that look for it. */
export function isContained(): boolean {
  return ["/.dockerenv", "/run/.containerenv"].some((file) => existsSync(file));
}
