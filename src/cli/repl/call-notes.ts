import type { AgentView } from "../../events/event.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { safeLine } from "../../terminal/safe-text.ts";

/** Returns a function that gives one line for each new call of the main conversation, or undefined if none started. */
export function createCallNotes(): (view: AgentView) => string | undefined {
  let last = "";
  return ({ id, activity }) => {
    if (id !== MAIN) return undefined;
    const call = activity.type === "tool" ? callWords(activity) : "";
    const isNew = call !== "" && call !== last;
    // The model runs between two equal calls; a wait in the middle of a call does not start it again.
    if (call !== "" || activity.type === "model") last = call;
    return isNew ? call : undefined;
  };
}

/** A tool without a title is shown by its name. */
function callWords({ tool, title }: { readonly tool: string; readonly title: string }): string {
  return safeLine(title === tool ? tool : `${tool} ${title}`);
}
