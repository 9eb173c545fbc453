import { nearName } from "./near-name.ts";

/** When commands of a person's run (A5.12). */
export const hookEvents = [
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "SubagentStop",
  "SessionStart",
  "SessionEnd",
  "PreCompact",
  "Notification",
] as const;
export type HookEvent = (typeof hookEvents)[number];

export function isHookEvent(name: string): name is HookEvent {
  return hookEvents.some((event) => event === name);
}

/** What is wrong with a name that is none, after it. */
export function noHookEvent(name: string): string {
  const near = nearName(name, hookEvents);
  return near === null
    ? `is no event; there are ${hookEvents.join(", ")}`
    : `is no event; the nearest is ${near}`;
}
