import type { CallBeginEvent, CallEndEvent } from "../../events/call.ts";
import type { SupervisorEvent } from "../../events/event.ts";
import { readRegularFile } from "../../lib/read-regular-file.ts";
import { resultText } from "../../mailbox/compacted.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { plain } from "../colour.ts";
import { diffCount, diffRows } from "../diff/rows.ts";
import { safeText } from "../safe-text.ts";
import { callLine } from "./call-lines.ts";

/** All that the last call of the main conversation has printed or changed. */
export interface LastOutput {
  onEvent(event: SupervisorEvent): void;
  /** Returns it with the call above it, safe for a terminal; null before the first call has ended. */
  text(): string | null;
}

/** Of a longer output, what the model got is shown. */
const MOST_BYTES = 8 * 1024 * 1024;
const DIFF = { columns: Number.MAX_SAFE_INTEGER, most: Number.POSITIVE_INFINITY, context: 3, wraps: false };

export function createLastOutput(): LastOutput {
  let last: { readonly begin: CallBeginEvent; readonly end: CallEndEvent; result: string | null } | null =
    null;
  const begins = new Map<string, CallBeginEvent>();
  return {
    onEvent(event) {
      if (!("actor" in event) || event.actor !== MAIN) return;
      if (event.type === "call-begin") begins.set(event.call, event);
      if (event.type === "call-end") {
        const begin = begins.get(event.call);
        begins.delete(event.call);
        if (begin !== undefined) last = { begin, end: event, result: null };
      }
      if (event.type === "message" && typeof event.content !== "string" && last !== null)
        for (const block of event.content)
          if (block.type === "tool_result" && block.tool_use_id === last.end.toolUse)
            last.result = resultText(block.content);
    },
    text() {
      if (last === null) return null;
      const { begin, end, result } = last;
      const title = callLine(begin);
      if (end.diff !== undefined) {
        const rows = diffRows(end.diff, { ...DIFF, paint: plain, compare: () => null });
        return `${[`${title}  ${diffCount(end.diff)}`, "", ...rows].join("\n")}\n`;
      }
      const all = end.outputPath === undefined ? null : readRegularFile(end.outputPath, MOST_BYTES);
      const printed = all?.type === "read" ? all.bytes.toString("utf8") : (end.reason ?? result ?? end.head);
      const rest = all === null || all.type === "read" ? "" : `\n\nAll of it is in ${end.outputPath}.`;
      return `${safeText(`${title}\n\n${printed.trimEnd()}${rest}`)}\n`;
    },
  };
}
