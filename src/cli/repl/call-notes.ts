import { MAIN } from "../../mailbox/ids.ts";
import type { AgentView } from "../../supervisor/view.ts";
import { safeLine } from "../safe-text.ts";

/** A line for each call of the main conversation, as it begins; the answer is undefined where none did. */
export function createCallNotes(): (view: AgentView) => string | undefined {
  let last = "";
  return ({ id, activity }) => {
    if (id !== MAIN) return undefined;
    const call = activity.type === "tool" ? callWords(activity) : "";
    const isNew = call !== "" && call !== last;
    // Between two equal calls the model is asked; a wait in the middle of one does not begin it again.
    if (call !== "" || activity.type === "model") last = call;
    return isNew ? call : undefined;
  };
}

/** A tool without a title of its own is titled by its name. */
function callWords({ tool, title }: { readonly tool: string; readonly title: string }): string {
  return safeLine(title === tool ? tool : `${tool} ${title}`);
}
