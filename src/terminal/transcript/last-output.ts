import type { CallBeginEvent, CallEndEvent } from "../../events/call.ts";
import type { SupervisorEvent } from "../../events/event.ts";
import { readRegularFile } from "../../lib/files.ts";
import { resultText } from "../../mailbox/compacted.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { plain } from "../colour.ts";
import { diffCount, diffRows } from "../diff.ts";
import { safeText } from "../safe-text.ts";
import { callLine } from "./call-lines.ts";

/** Of a longer output, what the model got is shown. */
const MOST_BYTES = 8 * 1024 * 1024;
const DIFF = { columns: Number.MAX_SAFE_INTEGER, most: Number.POSITIVE_INFINITY, context: 3, wraps: false };

export type LastOutput = ReturnType<typeof createLastOutput>;

/** All that the main conversation has thought last, and what its last call has printed or changed. */
export function createLastOutput() {
  let last: { readonly begin: CallBeginEvent; readonly end: CallEndEvent; result: string | null } | null =
    null;
  let thought = { turn: 0, text: "" };
  const begins = new Map<string, CallBeginEvent>();
  return {
    onEvent(event: SupervisorEvent) {
      if (!("actor" in event) || event.actor !== MAIN) return;
      if (event.type === "thinking" && !event.forUser)
        thought = { turn: event.turn, text: (thought.turn === event.turn ? thought.text : "") + event.text };
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
    /** Returns the newest of both, or both of one turn, safe for a terminal; null before the first. */
    text(): string | null {
      const of = last?.begin.turn ?? 0;
      const thoughts =
        thought.turn > 0 && thought.turn >= of ? `Thinking\n\n${safeText(thought.text.trimEnd())}\n` : "";
      if (last === null || thought.turn > of) return thoughts || null;
      return [thoughts, shown(last)].filter(Boolean).join("\n");
    },
  };

  function shown({ begin, end, result }: NonNullable<typeof last>): string {
    const title = callLine(begin);
    if (end.diff !== undefined) {
      const rows = diffRows(end.diff, { ...DIFF, paint: plain, compare: () => null });
      return `${[`${title}  ${diffCount(end.diff)}`, "", ...rows].join("\n")}\n`;
    }
    const all = end.outputPath === undefined ? null : readRegularFile(end.outputPath, MOST_BYTES);
    const printed = all?.type === "read" ? all.bytes.toString("utf8") : (end.reason ?? result ?? end.head);
    const rest = all === null || all.type === "read" ? "" : `\n\nAll of it is in ${end.outputPath}.`;
    return `${safeText(`${title}\n\n${printed.trimEnd()}${rest}`)}\n`;
  }
}
