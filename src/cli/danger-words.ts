import type { PermissionLevel } from "../policy/user-requests.ts";

const WORDS: Readonly<Record<PermissionLevel, string>> = {
  read: "read: it changes nothing",
  write: "write: it changes files",
  execute: "execute: it runs programs",
  network: "network: it reaches other machines",
};

/** Returns the danger level of a tool as a user reads it. */
export function formatDanger(level: PermissionLevel): string {
  return WORDS[level];
}
