import { escapeTags } from "../../context/escape-tags.ts";
import type { HookEvent } from "../../mailbox/hook-events.ts";

const BEGINS = "\n\n<system-reminder>\nSaid by a ";
const ENDS = "\n</system-reminder>";

/** What a hook says to a model, marked as the hook's; empty if it says nothing. */
export function hookText(event: HookEvent, text = ""): string {
  return text.trim() === "" ? "" : `${BEGINS}${event} hook, not by the person:\n${escapeTags(text)}${ENDS}`;
}

/**
 * A prompt with what hooks add to it (A5.9), which stands behind it and is marked: neither a model nor a person takes
 * a program's output for what the person said.
 */
export function withHookWords(
  prompt: string,
  said: readonly {
    readonly event: "SessionStart" | "UserPromptSubmit";
    readonly context?: string | undefined;
  }[],
): string {
  return [prompt, ...said.map(({ event, context }) => hookText(event, context))].join("");
}

/** What the person said of it. */
export function withoutHookWords(prompt: string): string {
  const at = prompt.indexOf(BEGINS);
  return at < 0 || !prompt.endsWith(ENDS) ? prompt : prompt.slice(0, at);
}
