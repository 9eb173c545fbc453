import { canonicalJson } from "../../lib/json.ts";
import { oneLine, shorten } from "../../lib/text.ts";
import type { MessageParam, ToolResultBlockParam } from "../../mailbox/conversation.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { KnownResults, PlanResult } from "./plan.ts";
import { listUnder } from "./tools.ts";

export type Messages = readonly MessageParam[];

/** What texts of the user and of the runtime ask for. */
interface Asked {
  /** What the user wrote, steering on lines of its own. Never text from a tool. */
  readonly prompt: string;
  /** What background agents and commands reported, ready to be shown. */
  readonly reports: readonly PlanResult[];
  /** Names of skills whose instructions are in it. */
  readonly skills: readonly string[];
  readonly conflict: ConflictNotice | undefined;
}
const NOTHING: Asked = { prompt: "", reports: [], skills: [], conflict: undefined };

export type Unanswered = ReturnType<typeof unanswered>;

/** How the runtime introduces the notes of a compacted conversation. */
const NOTES =
  /^<system-reminder>\n[^\n]*These are your own notes of it;[^\n]*\n([\s\S]*)\n<\/system-reminder>$/;
/** A skill as the runtime writes it into a prompt, and as it announces one that an agent carries out. */
const SKILL =
  /^([\s\S]*?)<command-name>\/?([^<\n]+)<\/command-name>(?:\n<command-args>([\s\S]*?)<\/command-args>)?(?:\n<command-message>.*<\/command-message>)?(?:\nBase directory of this skill: .*)?\s*([\s\S]*)$/;
const CARRIED_OUT = /^The \w+ called \/(\S+?)(?: [\s\S]*?)?\. Call the Skill tool with skill "/;
/** From the first opening tag to the last closing one: a file's text in a reminder could close the tag early. */
const REMINDERS = /<system-reminder>[\s\S]*(?:<\/system-reminder>|$)/;

/** The part of a conversation that is still unanswered: everything since the last reply without calls. */
export function unanswered(messages: Messages, isLastTurn: boolean) {
  const isAnswer = (message: MessageParam) =>
    message.role === "assistant" && blocksOf(message).every(({ type }) => type !== "tool_use");
  const open = messages.slice(messages.slice(0, -1).findLastIndex(isAnswer) + 1);
  const texts = textsOf(open.filter(({ role }) => role === "user"));
  const notes = texts.findIndex((text) => NOTES.test(text));
  const all = texts.slice(notes + 1).flatMap((text) => readText(text) ?? []);
  // A last turn ends with the runtime's own request to sum up.
  const said = isLastTurn && all.length > 1 ? all.slice(0, -1) : all;
  return {
    prompt: said.flatMap(({ prompt }) => prompt || []).join("\n"),
    reports: said.flatMap(({ reports }) => reports),
    skills: said.flatMap(({ skills }) => skills),
    conflict: said.findLast(({ conflict }) => conflict !== undefined)?.conflict,
    /** Notes replace a part of it, so it is unknown what is still to be done. */
    isCompacted: notes >= 0,
    answer: answersIn(open),
  };
}

/** Returns null for a text that only reminds. */
function readText(text: string): Asked | null {
  const [before = "", ...notifications] = text.split("<task-notification>");
  // What announces a notification is no prompt: a reminder's tag, a line in brackets.
  const announces = /<system-reminder>[\s\S]*$|^\[[^\]\n]*\][ \t]*$/gm;
  const prompt = before.replace(notifications.length > 0 ? announces : REMINDERS, "").trim();
  if (notifications.length > 0) return { ...NOTHING, prompt, reports: notifications.map(reportOf) };
  const conflict = conflictNoticeIn(prompt);
  if (conflict) return { ...NOTHING, conflict };
  const carried = CARRIED_OUT.exec(prompt)?.[1];
  if (carried !== undefined) return { ...NOTHING, skills: [carried] };
  const [whole, first = "", skill = "", args = "", body = ""] = SKILL.exec(prompt) ?? [];
  if (whole === undefined) return prompt === "" ? null : { ...NOTHING, prompt };
  // A few lines are a prompt that a user wrote down; what is longer says how to work.
  const isPrompt = body !== "" && body.length <= 800 && body.split("\n").length <= 6;
  const asked = `${first.trim()}\n${isPrompt ? body : args}`.trim();
  return { ...NOTHING, prompt: asked, skills: isPrompt ? [] : [skill] };
}

export function textsOf(messages: Messages): string[] {
  return messages.flatMap(blocksOf).flatMap((block) => (block.type === "text" ? [block.text] : []));
}

/** Everything up to the last closing tag is the report: an agent's text in it could close the tag early. */
function reportOf(notification: string): PlanResult {
  const field = (tag: string) =>
    new RegExp(`<${tag}>([\\s\\S]*)</${tag}>`).exec(notification)?.[1]?.trim() ?? "";
  const status = field("status");
  const what = field("summary").replace(/\.$/, "") || "A background task ended";
  const how = what.includes(status) ? what : `${what} (${status})`;
  const result = shorten(field("result").replace(/^ {2}/gm, ""), 6_000);
  return { ok: !/failed|killed/.test(status), text: `${how}${result === "" ? "." : `:\n\n${result}`}` };
}

function answersIn(messages: Messages): KnownResults {
  // A provider's form may change the order of an input's fields.
  const answers = Map.groupBy(callsIn(messages), ({ name, input }) => canonicalJson([name, input]));
  return ({ tool, input, shared }) => {
    const left = answers.get(canonicalJson([tool, input]));
    return (shared ? left?.[0] : left?.shift())?.outcome;
  };
}

export function callsIn(messages: Messages) {
  const blocks = messages.flatMap(blocksOf);
  const results = blocks.filter((block) => block.type === "tool_result");
  const byCall = new Map(results.map((block) => [block.tool_use_id, outcomeOf(block)]));
  const none: PlanResult = { ok: false, text: "The call has no result." };
  return blocks
    .filter((block) => block.type === "tool_use")
    .map(({ id, name, input }) => ({ name, input, outcome: byCall.get(id) ?? none }));
}

function outcomeOf({ content = [], is_error }: ToolResultBlockParam): PlanResult {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const texts = blocks.flatMap((block) => (block.type === "text" ? block.text : []));
  return { ok: is_error !== true, text: texts.join("\n") };
}

/**
 * The notes that will replace the conversation, if the runtime asks for them. They claim only what it shows: earlier notes, what
 * was asked, each call and how it ended.
 */
export function wantedNotes(messages: Messages): string | null {
  if (!/\breplaced by what you write\b/.test(textsOf(messages.slice(-1)).at(-1) ?? "")) return null;
  const brief = (text: string) => shorten(oneLine(text), 200);
  const earlier = textsOf(messages).flatMap((text) => NOTES.exec(text)?.[1]?.trim() ?? []);
  const asked = messages.slice(0, -1).flatMap((message) => unanswered([message], false).prompt || []);
  const calls = callsIn(messages).map(({ name, input, outcome: { ok, text } }) => {
    const code = /\[Exit code \d+\]\s*$/.exec(text)?.[0].trim() ?? "done";
    return `- ${name} ${brief(JSON.stringify(input))}: ${ok ? code : `failed: ${brief(text)}`}`;
  });
  const rows = { "Asked:": asked.map((text) => `- ${brief(text)}`), "Calls, and how they ended:": calls };
  const notes = [...earlier, listUnder(rows)].join("\n\n").trim();
  return notes === "" ? "Nothing was asked or done so far." : notes;
}

/** Edits that the runtime gave back to the agent that made them, because they conflict with the checkout. */
export type ConflictNotice = NonNullable<ReturnType<typeof conflictNoticeIn>>;

/** Reads the message that gives a conflict back; undefined for any other text, whatever it quotes. */
export function conflictNoticeIn(text: string) {
  const [first = "", list = ""] = text.split("\n\n", 2);
  if (!/^Your edits .*<<<<<<< and >>>>>>>/.test(first)) return undefined;
  // `- PATH`, then `: lines 3-9, 12` and ` (KIND)` if there are any.
  const rows = list.matchAll(/^- (.+?)(: lines \d[\d, -]*?)?(?: \(([a-z]+[a-z/ -]*)\))?$/gm);
  /** `kind`: `modify/delete`, …; empty if the conflict is about lines alone. */
  const files = [...rows].map(([, path = "", lines, kind = ""]) => ({
    path,
    kind,
    hasMarks: Boolean(lines),
  }));
  // What the agent had reported of them.
  const report = /\n\nYour own report was: ([\s\S]*)\n\nRead these files again,/.exec(text)?.[1] ?? "";
  return files.length === 0 ? undefined : { files, report };
}
