import { cutToWidth } from "../terminal/display-width.ts";
import { safeLine } from "../terminal/safe-text.ts";

/** Returns a description of the agent that does a task: the task's beginning. */
export function taskName(task: string): string {
  return cutToWidth(safeLine(task).split(" ").slice(0, 7).join(" "), 48);
}

/** Returns the title by which the user recognises a session in a list. */
export function sessionTitle(text: string): string {
  return cutToWidth(safeLine(text), 100);
}
