import { nearName } from "../lib/near-name.ts";

/** The events at which a user's hooks run (A5.12). */
export const hookEvents = [
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
  "WorktreeCreate",
  "WorktreeRemove",
  "SessionStart",
  "SessionEnd",
  "PreCompact",
  "PostCompact",
  "Notification",
] as const;
export type HookEvent = (typeof hookEvents)[number];

export function isHookEvent(name: string): name is HookEvent {
  return hookEvents.some((event) => event === name);
}

/** Events of Claude Code that do not exist here: a file that has one of them is not wrong. */
const ELSEWHERE =
  `ConfigChange CwdChanged DirectoryAdded Elicitation ElicitationResult FileChanged InstructionsLoaded
  MessageDisplay PermissionDenied PostModelSwitch PostToolBatch PreModelSwitch Setup StopFailure TeammateIdle
  UserPromptExpansion`.split(/\s+/);

export function isHookEventElsewhere(name: string): boolean {
  return ELSEWHERE.includes(name);
}

/** Returns what is wrong with an unknown event name, to follow the name. */
export function noHookEvent(name: string): string {
  if (isHookEventElsewhere(name)) return "is an event of Claude Code that does not exist here";
  const near = nearName(name, hookEvents);
  return near === null
    ? `is no event; there are ${hookEvents.join(", ")}`
    : `is no event; the nearest is ${near}`;
}
