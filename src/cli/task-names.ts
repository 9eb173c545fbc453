import { cutToWidth } from "./display-width.ts";
import { safeLine } from "./safe-text.ts";

/** A task's first words, as the name of the agent that does it. */
export function taskName(task: string): string {
  return cutToWidth(safeLine(task).split(" ").slice(0, 7).join(" "), 48);
}

/** The person's words by which they recognise a session in a list. */
export function sessionTitle(text: string): string {
  return cutToWidth(safeLine(text), 100);
}
