import { shellWord } from "../../lib/text.ts";
import { notRun } from "../../tools/dispatch.ts";
import type { Gated } from "./gate.ts";

/** Formats for the agent why a call was denied, and what to do instead. */
export function refusalOf(
  tool: string,
  { by, reason, grants = [], asked }: Extract<Gated, { type: "refuse" }>,
): string {
  const why = sentence(reason === "" ? "no reason was given" : reason);
  switch (by) {
    case "rules":
      return `${tool} was not allowed: ${why} Continue without it, or by another way that is allowed.`;
    case "hook":
      return `${tool} was stopped by a hook of the user: ${why}`;
    case "person":
      return why;
    case "nobody" /* word-ok: as recorded */:
      {
        const way = grants.length === 0 ? "" : ` (--allowed-tools ${shellWord(grants.join(","))})`;
        const cause = asked === undefined ? "" : ` (${withoutStop(asked)})`;
        return `${tool} needs the user's permission${cause}. ${why} Continue without it, or report that it is needed${way}.`;
      }
    case "stop":
      return String(notRun.content);
    default:
      return by satisfies never;
  }
}

function withoutStop(text: string): string {
  return text.trim().replace(/\.$/, "");
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]["”)]*$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
