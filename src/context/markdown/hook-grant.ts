import { canonicalJson, isObject } from "../../lib/json.ts";
import { oneLine, shorten } from "../../lib/text.ts";

/** A list for the user need not show a whole script. */
const MAX_SHOWN_CHARS = 200;

/** Formats what the hooks of one event run, such as `run "./check.sh" as a hook (PreToolUse)`. */
export function formatHooks(event: string, hooks: unknown): string {
  const commands = commandsIn(hooks).map((command) => `"${shown(command)}"`);
  return `run ${commands.join(", ") || shown(canonicalJson(hooks))} as a hook (${shown(event)})`;
}

/** Shortens a text to one line for the user. */
export function shown(text: string): string {
  return shorten(oneLine(text), MAX_SHOWN_CHARS);
}

/** Returns the commands and prompts of hooks, however they are written: each is under `command` or `prompt`. */
function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "command" || key === "prompt"
      ? [typeof inner === "string" ? inner : canonicalJson(inner)]
      : commandsIn(inner),
  );
}
