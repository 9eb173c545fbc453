import { escapeTags as withoutOurs } from "../context/escape-tags.ts";
import { overlapText, overlapTitle } from "../features/overlap/overlap-text.ts";
import type { OverlapNotice, Touch } from "../features/overlap/touch.ts";
import { commandId } from "../journal/session-state.ts";
import type { Picture } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { AgentTool, ReadEntry, Status } from "../mailbox/messages.ts";
import type { CommandOutput } from "../mailbox/runs.ts";
import { MAX_MONITOR_CHARS, MAX_MONITOR_LINES } from "../tools/background/monitor.ts";
import { endOf } from "../tools/command-output.ts";
import { plainText } from "../tools/plain-text.ts";

/** Of an ended command's output: enough to see how it ended. */
const END_CHARS = 2_000;
/** Of an agent's report: more would fill the conversation it was started to spare. */
const REPORT_CHARS = 50_000;

/** What an actor is told about something that runs beside its conversation. */
export type Notice =
  | EndNotice
  | LinesNotice
  | AgentNotice
  | UnheardNotice
  | ServerNotice
  | OverlapNotice
  | ContextNotice
  | SkillNotice;

/** Of what the conversation knows of its place, this has changed. Worth knowing, not worth a turn. */
export interface ContextNotice {
  readonly type: "context";
  readonly title: string;
  readonly text: string;
  /** The names of its facts. */
  readonly of: readonly string[];
  /** Files that it shows. */
  readonly reads: readonly ReadEntry[];
  readonly pictures: readonly Picture[];
}

/** A skill that it has loaded: what it is to work by, and no reminder. */
export interface SkillNotice {
  readonly type: "skill";
  readonly title: string;
  /** Its durable name, by the call that loaded it. */
  readonly id: string;
  readonly text: string;
  /** Files that it shows. */
  readonly reads: readonly ReadEntry[];
  /** It goes into the system prompt. */
  readonly system?: true;
}

/** What MCP servers offer has changed since this conversation began. Worth knowing, not worth a turn. */
export interface ServerNotice {
  readonly type: "server";
  readonly title: string;
  /** Sentences. */
  readonly text: string;
  /** Deferred ones that it can find and call from now on. */
  readonly tools: readonly AgentTool[];
}

/** The one result of an agent that ran in the background. */
export interface AgentNotice {
  readonly type: "agent";
  /** Its durable name: told once, however often it is delivered. */
  readonly result: string;
  readonly agent: ActorId;
  readonly title: string;
  readonly status: Status;
  /** How it ended, as a sentence. */
  readonly ending: string;
  readonly text: string;
  /** What of it the runtime could not verify. */
  readonly note: string | null;
  /** The whole report. */
  readonly path: string | null;
}

/** Words that this actor said to another one, which ended before it heard them. */
export interface UnheardNotice {
  readonly type: "unheard";
  /** Its durable name. */
  readonly name: string;
  /** Whose words they are, where those were not this actor's: whoever said them has ended. */
  readonly sender: string | null;
  readonly agent: ActorId;
  readonly title: string;
  readonly text: string;
}

export interface EndNotice {
  readonly type: "ended";
  readonly task: string;
  readonly title: string;
  readonly status: "completed" | "failed" | "killed";
  /** How, as a sentence. */
  readonly ending: string;
  readonly output: CommandOutput;
}

export interface LinesNotice {
  readonly type: "lines";
  readonly task: string;
  readonly title: string;
  readonly path: string;
  readonly lines: readonly string[];
  /** There were others. */
  readonly more: boolean;
}

/** Those that are told exactly once, whatever dies in between: a turn that has heard one names it. */
export type DurableNotice = AgentNotice | UnheardNotice;

export function durableName(notice: Notice): { id: string; notice: DurableNotice } | null {
  switch (notice.type) {
    case "agent":
      return { id: notice.result, notice };
    case "unheard":
      return { id: notice.name, notice };
    case "ended":
    case "lines":
    case "server":
    case "overlap":
    case "context":
    case "skill":
      return null;
    default:
      return notice satisfies never;
  }
}

/** What a turn that has heard it calls it; null: it has no record. */
export function noticeId(notice: Notice): string | null {
  if (notice.type === "skill") return notice.id;
  return notice.type === "ended" ? commandId(notice.task) : (durableName(notice)?.id ?? null);
}

/** The same of all that it tells. */
export function namesOf(notice: Notice): readonly string[] {
  if (notice.type === "context") return notice.of;
  if (notice.type === "skill") return [notice.id];
  const name = noticeId(notice);
  return name === null ? [] : [name];
}

/** The notices with one more; lines of one task, and shared files, that nobody has heard of yet become one notice. */
export function withNotice(notices: readonly Notice[], next: Notice): Notice[] {
  if (next.type === "overlap") return withOverlap(notices, next);
  // A call that was asked again after a crash loads the same again.
  if (next.type === "skill")
    return [...notices.filter((one) => one.type !== "skill" || one.id !== next.id), next];
  const last = notices.at(-1);
  if (next.type !== "lines" || last?.type !== "lines" || last.task !== next.task)
    return [...notices, bounded(next)];
  const lines = [...last.lines, ...next.lines];
  return [...notices.slice(0, -1), bounded({ ...next, lines, more: last.more || next.more })];
}

/** What is known of a file by now takes the place of what was known before. */
function withOverlap(notices: readonly Notice[], next: OverlapNotice): Notice[] {
  const isNew = (one: Touch) =>
    !next.touches.some(({ other, path }) => other === one.other && path === one.path);
  const before = notices.flatMap((notice) => (notice.type === "overlap" ? notice.touches.filter(isNew) : []));
  const touches = [...before, ...next.touches];
  const others = notices.filter(({ type }) => type !== "overlap");
  return [...others, { ...next, title: overlapTitle(touches), touches }];
}

/** Bounded here, so that a flood is not kept either. */
function bounded(notice: Notice): Notice {
  if (notice.type !== "lines") return notice;
  let chars = 0;
  const lines = notice.lines
    .map(plainText)
    .slice(0, MAX_MONITOR_LINES)
    .filter((line) => {
      chars += line.length + 1;
      return chars <= MAX_MONITOR_CHARS;
    });
  return { ...notice, lines, more: notice.more || lines.length < notice.lines.length };
}

/** One text for all that came since the last turn. */
export function noticeText(notices: readonly Notice[]): string {
  const blocks = notices.map(blockOf);
  return [
    "<system-reminder>",
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
    ...blocks,
    "</system-reminder>",
  ].join("\n");
}

function blockOf(notice: Notice): string {
  switch (notice.type) {
    case "ended":
      return endBlock(notice);
    case "lines":
      return linesBlock(notice);
    case "agent":
      return agentBlock(notice);
    case "unheard":
      return unheardBlock(notice);
    case "server":
      return harmless(notice.text);
    case "overlap":
      return harmless(overlapText(notice));
    case "context":
    case "skill":
      return notice.text;
    default:
      return notice satisfies never;
  }
}

function agentBlock({ agent, title, status, ending, text, note, path }: AgentNotice): string {
  const report = plainText(text).trimEnd();
  const cut =
    report.length <= REPORT_CHARS
      ? report
      : `${report.slice(0, REPORT_CHARS)}\n[Cut after ${REPORT_CHARS} of ${report.length} characters; the whole is in the output file.]`;
  const how = status === "done" ? "completed" : status === "cancelled" ? "killed" : "failed";
  return block(agent, how, `Agent "${title}": ${ending}`, path, cut, note);
}

function unheardBlock({ agent, title, sender, text }: UnheardNotice): string {
  const message = sender === null ? "your message" : `this message of ${sender}`;
  const sentence = `Agent "${title}" ended before it heard ${message}; say it again to go on with it.`;
  return block(agent, "failed", sentence, null, text);
}

function endBlock({ task, title, status, ending, output }: EndNotice): string {
  const text = endOf(plainText(output.tail ?? output.head).trimEnd(), END_CHARS);
  return block(task, status, `Background command "${title}": ${ending}`, output.path, text);
}

function linesBlock({ task, title, path, lines, more }: LinesNotice): string {
  const text = [...lines, ...(more ? ["(more lines than these: they are in the output file)"] : [])].join(
    "\n",
  );
  return block(task, "running", `Background command "${title}" wrote new lines.`, path, text);
}

function block(
  task: string,
  status: string,
  summary: string,
  path: string | null,
  text: string,
  note: string | null = null,
): string {
  return [
    "<task-notification>",
    `<task-id>${task}</task-id>`,
    ...(path === null ? [] : [`<output-file>${path}</output-file>`]),
    `<status>${status}</status>`,
    `<summary>${harmless(summary.replace(/\s+/g, " "))}</summary>`,
    ...(text === "" ? [] : ["<result>", harmless(text).replace(/^/gm, "  "), "</result>"]),
    ...(note === null ? [] : ["<note>", harmless(note), "</note>"]),
    "</task-notification>",
  ].join("\n");
}

/** A command's own words must not pass for the runtime's: no tag of ours in them is one. */
function harmless(text: string): string {
  return withoutOurs(text).replace(
    /<(?=\s*\/?\s*(?:task-id|output-file|status|summary|result|note)\b)/gi,
    "&lt;",
  );
}
