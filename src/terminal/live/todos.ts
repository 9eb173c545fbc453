import type { Todo } from "../../mailbox/messages.ts";
import type { Paint } from "../colour.ts";
import { cutToWidth } from "../display-width.ts";
import { safeLine } from "../safe-text.ts";

/** Returns the list of steps as at most `rows` rows, with the current one among them. */
export function todoRows(
  todos: readonly Todo[],
  { columns, rows, paint }: { readonly columns: number; readonly rows: number; readonly paint: Paint },
): string[] {
  if (todos.length === 0)
    return [paint("dim", cutToWidth("There are no todos. Ctrl-T closes this.", columns))];
  const done = todos.filter(({ status }) => status === "completed").length;
  const room = Math.max(1, rows - 1);
  const at = todos.findIndex(({ status }) => status !== "completed");
  const current = at < 0 ? todos.length - 1 : at;
  // What was done before the current step is the least interesting.
  const first = Math.max(0, Math.min(room > 1 ? current - 1 : current, todos.length - room));
  const shown = todos.slice(first, first + room);
  const hidden = todos.length - shown.length;
  const more = hidden === 0 ? "" : `, ${hidden} not shown`;
  const head = paint("dim", cutToWidth(`Todos: ${done} of ${todos.length} done${more}`, columns));
  return [head, ...shown.map((todo) => todoRow(todo, columns, paint))];
}

function todoRow({ content, activeForm, status }: Todo, columns: number, paint: Paint): string {
  const row = (mark: string, text: string) =>
    `${mark} ${cutToWidth(safeLine(text), Math.max(1, columns - 2))}`;
  switch (status) {
    case "completed":
      return paint("dim", row("✓", content));
    case "in_progress":
      return paint("bold", row("●", activeForm));
    case "pending":
      return row("○", content);
    default:
      return status satisfies never;
  }
}
