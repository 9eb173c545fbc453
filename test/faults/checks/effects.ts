import type { JournalRecord } from "../../../src/journal/session-events.ts";
import { type AnyMessage, blocksOf, textOfBlock } from "./conversation.ts";

/** A command with a side effect that can be counted; its token is like no other's of the session. */
export function effectCommand(token: string, log: string, before = ""): string {
  return `${before}echo ${token} >> '${log}'`;
}

const TOKEN = /\becho (\S+) >> '/;

export function tokenOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null || !("command" in input)) return null;
  return TOKEN.exec(String(input.command))?.[1] ?? null;
}

/** What the model was told of a call: it ran, nobody knows, or it did not run. */
type Told = "ran" | "unknown" | "not run";

/**
 * No side effect twice, none that the journal had not promised before, and what each agent was told of its calls is
 * what happened (fault 38).
 */
export function effectFaults(
  effects: readonly string[],
  records: readonly JournalRecord[],
  conversations: readonly (readonly AnyMessage[])[],
): string[] {
  const faults: string[] = [];
  const counts = new Map<string, number>();
  for (const token of effects) counts.set(token, (counts.get(token) ?? 0) + 1);
  const promised = new Set(
    records.flatMap(({ event }) =>
      event.type === "before" && event.decision === "go" ? [tokenOf(event.input)] : [],
    ),
  );
  for (const [token, count] of counts) {
    if (count > 1) faults.push(`the side effect ${token} happened ${count} times`);
    if (!promised.has(token)) faults.push(`the side effect ${token} happened before it was durable`);
  }
  for (const { token, told } of conversations.flatMap(callsOf)) {
    const count = counts.get(token) ?? 0;
    if (told === "ran" && count === 0) faults.push(`${token} was told to have run, and did not`);
    if (told === "not run" && count > 0) faults.push(`${token} was told not to have run, and did`);
  }
  return faults;
}

/** How many calls ended as "nobody knows". */
export function unknownResults(conversations: readonly (readonly AnyMessage[])[]): number {
  return conversations.flatMap(callsOf).filter(({ told }) => told === "unknown").length;
}

function callsOf(messages: readonly AnyMessage[]): { readonly token: string; readonly told: Told }[] {
  const results = new Map<unknown, Told>();
  const blocks = messages.flatMap(blocksOf);
  for (const block of blocks) {
    if (block.type === "tool_result")
      results.set(block["tool_use_id"], toldBy(block["is_error"] === true, textOfBlock(block)));
  }
  return blocks.flatMap((block) => {
    const token = block.type === "tool_use" ? tokenOf(block["input"]) : null;
    const told = results.get(block["id"]);
    return token === null || told === undefined ? [] : [{ token, told }];
  });
}

function toldBy(isError: boolean, text: string): Told {
  if (!isError) return "ran";
  return /^Result unknown|its result was lost|timed out|was (?:cancelled|stopped)/.test(text)
    ? "unknown"
    : "not run";
}
