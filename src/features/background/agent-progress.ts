import { escapeTags } from "../../context/escape-tags.ts";
import type { Outputs } from "../../journal/outputs.ts";
import { formatCount, formatDollars, oneLine, shorten, span } from "../../lib/text.ts";
import type { ToolUseBlock } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { Actor } from "../../supervisor/actor-record.ts";

const LAST_CALLS = 5;
const TEXT_CHARS = 2_000;
const INPUT_CHARS = 120;

/** Formats the progress of a running agent (A22.36), so that nothing in it could pass for its report. */
export function progressText(actor: Actor, now: number): string {
  const { turnsTaken, costUsd, startedAt, said, spec } = actor;
  const elapsed = startedAt === null ? "not started yet" : `${span(now - startedAt)} so far`;
  const running = [...actor.calls.values()].map(
    ({ tool, title, startedAt: since }) =>
      `${tool} ${shorten(oneLine(title), INPUT_CHARS)} (for ${span(now - since)})`,
  );
  const current =
    running.length > 0 ? running.join("; ") : startedAt === null ? "nothing" : "waits for the model's reply";
  const ended = lastCalls(actor);
  const text = said.length <= TEXT_CHARS ? said : `…${said.slice(1 - TEXT_CHARS)}`.toWellFormed();
  return [
    `[Unfinished: agent ${actor.id} still works, and this is not its report. Do not take it for a result.]`,
    `${formatCount(turnsTaken, "turn")} of at most ${spec.maxTurns}, ${elapsed}, ${formatDollars(costUsd)} so far.`,
    `Now: ${current}`,
    ended.length === 0 ? "No call has ended yet." : "Last calls, the newest at the end:",
    ...ended.map((call) => `- ${call}`),
    ...(text === "" ? [] : ["What it said last:", escapeTags(text)]),
  ].join("\n");
}

/** Returns the agent whose report this file will have and that has not ended yet, or null. */
export function agentDue(
  path: string,
  actors: readonly Actor[],
  outputs: Pick<Outputs, "pathOf">,
): ActorId | null {
  const due = actors.find(
    ({ id, summary, run }) => summary === null && run === 1 && outputs.pathOf(id) === path,
  );
  return due?.id ?? null;
}

function lastCalls({ turns, reply, calls }: Actor): string[] {
  const blocks = turns.flatMap(({ messages }) => messages.flatMap(blocksOf));
  const failed = new Set(
    blocks.flatMap((block) => (block.type === "tool_result" && block.is_error ? [block.tool_use_id] : [])),
  );
  const open = new Set([...calls.values()].map(({ toolUse }) => toolUse));
  const started = [...blocks, ...(reply?.content ?? [])].flatMap((block) =>
    block.type === "tool_use" && !open.has(block.id) ? [block] : [],
  );
  return started
    .slice(-LAST_CALLS)
    .map((call) => `${call.name} ${inputLine(call)}${failed.has(call.id) ? " (failed)" : ""}`);
}

/** Returns the input value that best distinguishes this call from others. */
function inputLine({ input }: Pick<ToolUseBlock, "input">): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const [first] = values.filter((value) => typeof value === "string" && value.trim() !== "");
  return shorten(oneLine(typeof first === "string" ? first : (JSON.stringify(input) ?? "")), INPUT_CHARS);
}
