import type { Summary, Unverified } from "../../mailbox/messages.ts";

/** The rest is counted. */
const MOST_NAMED = 20;

/** Formats the result for the header of a report; empty if there is nothing to say. */
export function checkedNote({
  unverified = [],
  unfounded,
}: Pick<Summary, "unverified" | "unfounded">): string {
  const none = unfounded ? " No tool was run for it: nothing in its report was looked up." : "";
  const some =
    unverified.length === 0
      ? ""
      : ` ${unverified.length === 1 ? "One statement of its report is" : `${unverified.length} statements of its report are`} backed by nothing it has read or run; the note after it says which.`;
  return `${none}${some}`;
}

/** Returns the runtime's note after a report, or null if everything was verified. */
export function noteOn({ unverified = [] }: Pick<Summary, "unverified">): string | null {
  if (unverified.length === 0) return null;
  const named = unverified.slice(0, MOST_NAMED).map(lineOf);
  const more = unverified.length - named.length;
  return [
    "[Checked by the runtime against what the agent has really read, searched, written and run. Unverified in the report above; check it yourself before you rely on it:",
    ...named,
    ...(more > 0 ? [`- and ${more} more`] : []),
    "]",
  ].join("\n");
}

function lineOf({ said, why }: Unverified): string {
  return `- ${JSON.stringify(said)}: ${why}`;
}
