import type { ScriptNews } from "./thread-requests.ts";

/** Returns the line for the user, or null if it is not shown. */
export function newsLine(news: ScriptNews): string | null {
  switch (news.type) {
    case "log":
      return news.text;
    case "phase":
      return `== ${news.title}`;
    case "meta":
      return null;
    default:
      return news satisfies never;
  }
}

/** What a script returned: a text as it is, anything else as JSON. */
export function textOfValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
