/** One background agent's end, as the runtime tells the conversation about it. */
export interface Notification {
  readonly status: string;
  readonly summary: string;
  readonly result: string;
}

const OPEN = "<task-notification>";

/**
 * Takes the notifications out of one text. Everything from the first tag on belongs to them: the result in
 * it is an agent's words, which must never pass for a prompt, whatever tags they contain.
 */
export function notificationsIn(text: string): { rest: string; notifications: Notification[] } {
  const from = text.indexOf(OPEN);
  if (from < 0) return { rest: text, notifications: [] };
  const parts = text.slice(from + OPEN.length).split(OPEN);
  return {
    rest: promptBefore(text.slice(0, from)),
    notifications: parts.map((part) => ({
      status: inside(part, "status"),
      summary: inside(part, "summary"),
      result: inside(part, "result"),
    })),
  };
}

/** Drops the frame that announces a notification: a reminder's tag, a line in square brackets. */
function promptBefore(text: string): string {
  const reminder = text.indexOf("<system-reminder>");
  const before = reminder < 0 ? text : text.slice(0, reminder);
  return before.replace(/^\[[^\]\n]*\][ \t]*$/gm, "").trim();
}

function inside(text: string, tag: string): string {
  const from = text.indexOf(`<${tag}>`);
  if (from < 0) return "";
  const end = text.lastIndexOf(`</${tag}>`);
  return text.slice(from + tag.length + 2, end < from ? undefined : end).trim();
}

/** A report of an agent is rarely longer; the output of a command often is. */
const MOST_LINES = 60;

/** What a person reads about it: one sentence, and the beginning of what the agent said. */
export function reportNotification({ status, summary, result }: Notification): string {
  const what = summary === "" ? "A background task ended" : summary.replace(/\.$/, "");
  const how = status === "" || what.includes(status) ? "" : ` (${status})`;
  // It stands indented in the notification.
  const lines = result.replace(/^ {2}/gm, "").split("\n");
  const shown = lines.slice(0, MOST_LINES).join("\n");
  const left = lines.length - MOST_LINES;
  const more = left > 0 ? `\n(${left} more lines)` : "";
  return result === "" ? `${what}${how}.` : `${what}${how}:\n\n${shown}${more}`;
}
