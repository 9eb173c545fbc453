import { escapeTags } from "../../context/escape-tags.ts";
import type { HookEvent } from "../../settings/hook-events.ts";
import type { Notice } from "../../supervisor/notices.ts";

const SAID_BY = "Said by a ";
const BEGINS = `\n\n<system-reminder>\n${SAID_BY}`;
const ENDS = "\n</system-reminder>";

/** Formats a hook's text for a model, marked as the hook's; empty if the hook says nothing. */
export function hookText(event: HookEvent, text = ""): string {
  return text.trim() === "" ? "" : `${BEGINS}${saying(event, text)}${ENDS}`;
}

/** Builds the notice of a hook's text for an actor. */
export function hookNotice(event: HookEvent, text: string): Notice {
  return { title: `a ${event} hook`, text: `${SAID_BY}${saying(event, text)}` };
}

function saying(event: HookEvent, text: string): string {
  return `${event} hook, not by the user:\n${escapeTags(text)}`;
}

/**
 * Appends what hooks add to a prompt (A5.9), marked so that neither a model nor a user takes a program's output for
 * the user's text.
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

/** Returns the part of the prompt that the user wrote. */
export function withoutHookWords(prompt: string): string {
  const at = prompt.indexOf(BEGINS);
  return at < 0 || !prompt.endsWith(ENDS) ? prompt : prompt.slice(0, at);
}
