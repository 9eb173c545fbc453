import { harmless } from "../context/harmless.ts";

const BEGINS = "\n\n<system-reminder>\nSaid by a ";
const ENDS = "\n</system-reminder>";

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
  const words = said.flatMap(({ event, context = "" }) =>
    context.trim() === "" ? [] : [`${BEGINS}${event} hook, not by the person:\n${harmless(context)}${ENDS}`],
  );
  return [prompt, ...words].join("");
}

/** What the person said of it. */
export function withoutHookWords(prompt: string): string {
  const at = prompt.indexOf(BEGINS);
  return at < 0 || !prompt.endsWith(ENDS) ? prompt : prompt.slice(0, at);
}
