import type { MessageParam, ToolResultBlockParam } from "../../mailbox/conversation.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import { type CalledSkill, calledIn } from "./called-skill.ts";
import { type HandedBack, handedBackIn } from "./conflict-notice.ts";
import { type Notification, notificationsIn } from "./notifications.ts";
import type { Outcome, Wish } from "./plan.ts";

/** The part of a conversation that is still to be answered: from the first word after the last answer on. */
export interface Episode {
  /** What was asked, with what was said meanwhile on lines of its own. Never text out of a tool. */
  readonly prompt: string;
  readonly notifications: readonly Notification[];
  /** Skills in it that tell how to work; the prompt has at most what was written behind their names. */
  readonly skills: readonly CalledSkill[];
  /** Its own edits that do not fit, where the runtime gave them back: the last message of this kind. */
  readonly handedBack: HandedBack | undefined;
  /** What became of a wish: each answer is given once, but for wishes that may share one. */
  readonly answer: (wish: Wish) => Outcome | undefined;
}

export function currentEpisode(messages: readonly MessageParam[], lastTurn: boolean): Episode {
  const open = messages.slice(startOf(messages));
  const texts = open.flatMap((message) => (message.role === "user" ? userTexts(message) : []));
  // A last turn ends with the runtime's own request to sum up: that is not a new prompt.
  const said = lastTurn && texts.length > 1 ? texts.slice(0, -1) : texts;
  const conflicts = said.map(handedBackIn);
  const read = said.filter((_, at) => conflicts[at] === undefined).map(notificationsIn);
  const called = read.map(({ rest }) => calledIn(rest));
  return {
    prompt: called
      .map(({ prompt }) => prompt)
      .filter((rest) => rest !== "")
      .join("\n"),
    skills: called.flatMap(({ skill }) => (skill === undefined ? [] : [skill])),
    notifications: read.flatMap(({ notifications }) => notifications),
    handedBack: conflicts.findLast((one) => one !== undefined),
    answer: answersIn(open),
  };
}

/** After the last reply that called nothing: everything before it has been answered. */
function startOf(messages: readonly MessageParam[]): number {
  const last = messages.findLastIndex(
    (message, at) =>
      message.role === "assistant" && at < messages.length - 1 && toolUses(message).length === 0,
  );
  return last + 1;
}

function toolUses(message: MessageParam) {
  return blocksOf(message).flatMap((block) => (block.type === "tool_use" ? [block] : []));
}

function userTexts(message: MessageParam): string[] {
  return blocksOf(message)
    .flatMap((block) => (block.type === "text" ? [withoutReminders(block.text)] : []))
    .filter((text) => text !== "");
}

/**
 * From the first opening tag to the last closing one: a reminder carries text of files (memory), which
 * could close the tag early to pass for a prompt.
 */
function withoutReminders(text: string): string {
  const from = text.indexOf("<system-reminder>");
  if (from < 0 || text.includes("<task-notification>")) return text.trim();
  const end = text.lastIndexOf("</system-reminder>");
  const after = end < from ? "" : text.slice(end + "</system-reminder>".length);
  return `${text.slice(0, from)}${after}`.trim();
}

function answersIn(messages: readonly MessageParam[]): (wish: Wish) => Outcome | undefined {
  const results = new Map<string, ToolResultBlockParam>();
  for (const message of messages) {
    for (const block of blocksOf(message))
      if (block.type === "tool_result") results.set(block.tool_use_id, block);
  }
  const answers = new Map<string, Outcome[]>();
  for (const use of messages.flatMap(toolUses)) {
    const key = keyOf(use.name, use.input);
    const outcome = outcomeOf(results.get(use.id));
    const known = answers.get(key);
    if (known) known.push(outcome);
    else answers.set(key, [outcome]);
  }
  return (wish) => {
    const left = answers.get(keyOf(wish.tool, wish.input));
    return wish.shared ? left?.[0] : left?.shift();
  };
}

/** The order of an input's fields may change on its way through a provider's form. */
function keyOf(tool: string, input: unknown): string {
  if (typeof input !== "object" || input === null) return tool;
  const fields = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${tool}\n${JSON.stringify(fields)}`;
}

const NO_RESULT = "The call has no result.";

function outcomeOf(result: ToolResultBlockParam | undefined): Outcome {
  if (result === undefined) return { type: "error", text: NO_RESULT, parts: [NO_RESULT] };
  const { content } = result;
  const parts =
    typeof content === "string"
      ? [content]
      : (content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { type: result.is_error === true ? "error" : "result", text: parts.join("\n"), parts };
}
