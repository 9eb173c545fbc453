import { escapeTags } from "../context/escape-tags.ts";
import type { Picture } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { AgentTool, ReadEntry, Status } from "../mailbox/messages.ts";
import { plainText } from "../tools/command-output.ts";

/** Of an agent's report: more would fill the conversation it was started to spare. */
const REPORT_CHARS = 50_000;

/** Text from the runtime to an actor. */
export interface Notice {
  /** For people: what it is about. */
  readonly title: string;
  readonly text: string;
  /** Worth knowing, not worth a turn: it waits for whatever comes next. */
  readonly isQuiet?: true;
  /** What a turn that has heard it names. */
  readonly ids?: readonly string[];
  /** A later notice of this key takes its place, as long as it was not heard; see `mergeAfter`. */
  readonly key?: string;
  /** What the two are together. Default: the later one. */
  readonly mergeAfter?: (earlier: Notice) => Notice;
  /** Files that it shows. */
  readonly reads?: readonly ReadEntry[];
  readonly images?: readonly Picture[];
  /** Deferred tools that the actor can find and call from now on. */
  readonly tools?: readonly AgentTool[];
  /** A message of its own, and no part of a reminder; `system`: in the system prompt. */
  readonly alone?: "message" | "system";
  /** Delivered exactly once, whatever dies in between; if its actor ends first, an actor above gets it. */
  readonly durable?: DurableNotice;
}

export type DurableNotice = AgentNotice | UnreadNotice;

/** The one result of an agent that ran in the background. */
export interface AgentNotice {
  readonly type: "agent";
  /** Its name in the journal. */
  readonly id: string;
  readonly agent: ActorId;
  readonly title: string;
  readonly status: Status;
  /** How the agent ended, as a sentence. */
  readonly ending: string;
  readonly text: string;
  /** What of the report the runtime could not verify. */
  readonly note: string | null;
  /** The file with the whole report, or null if it could not be written. */
  readonly path: string | null;
}

/** A message to an agent that ended before it read it. */
export interface UnreadNotice {
  readonly type: "unread";
  readonly id: string;
  /** Who wrote it, if that was not the actor that gets this notice. */
  readonly sender: string | null;
  readonly agent: ActorId;
  readonly title: string;
  readonly text: string;
}

export function durableNotice(durable: DurableNotice): Notice {
  const text = durable.type === "agent" ? agentBlock(durable) : unreadBlock(durable);
  return { title: durable.title, text, ids: [durable.id], durable };
}

/** A skill that an actor has loaded: what it works by, and no reminder. */
export function skillNotice({
  title,
  id,
  text,
  reads = [],
  system,
}: {
  readonly title: string;
  readonly id: string;
  readonly text: string;
  readonly reads?: readonly ReadEntry[];
  readonly system?: true | undefined;
}): Notice {
  // A call that was asked again after a crash loads the same again.
  return { title, text, reads, ids: [id], key: id, isQuiet: true, alone: system ? "system" : "message" };
}

/** The pending notices with one more. */
export function withNotice(pending: readonly Notice[], next: Notice): Notice[] {
  const earlier = next.key === undefined ? undefined : pending.find(({ key }) => key === next.key);
  if (earlier === undefined) return [...pending, next];
  return [...pending.filter((one) => one !== earlier), next.mergeAfter?.(earlier) ?? next];
}

/** One text for all that came since the last turn. */
export function noticeText(notices: readonly Notice[]): string {
  const texts = notices.map(({ text }) => text);
  return ["<system-reminder>", "[SYSTEM NOTIFICATION - NOT USER INPUT]", ...texts, "</system-reminder>"].join(
    "\n",
  );
}

function agentBlock({ agent, title, status, ending, text, note, path }: AgentNotice): string {
  const report = plainText(text).trimEnd();
  const cut =
    report.length <= REPORT_CHARS
      ? report
      : `${report.slice(0, REPORT_CHARS)}\n[Cut after ${REPORT_CHARS} of ${report.length} characters; the whole is in the output file.]`;
  const how = status === "done" ? "completed" : status === "cancelled" ? "killed" : "failed";
  return taskBlock({
    task: agent,
    status: how,
    summary: `Agent "${title}": ${ending}`,
    path,
    text: cut,
    note,
  });
}

function unreadBlock({ agent, title, sender, text }: UnreadNotice): string {
  const message = sender === null ? "your message" : `this message of ${sender}`;
  const summary = `Agent "${title}" ended before it read ${message}. Send it again to resume the agent.`;
  return taskBlock({ task: agent, status: "failed", summary, path: null, text });
}

/** Describes something that runs in the background of a conversation. */
export function taskBlock({
  task,
  status,
  summary,
  path,
  text,
  note = null,
}: {
  readonly task: string;
  readonly status: "running" | "completed" | "failed" | "killed";
  readonly summary: string;
  readonly path: string | null;
  readonly text: string;
  readonly note?: string | null;
}): string {
  return [
    "<task-notification>",
    `<task-id>${task}</task-id>`,
    ...(path === null ? [] : [`<output-file>${path}</output-file>`]),
    `<status>${status}</status>`,
    `<summary>${escapeNotice(summary.replace(/\s+/g, " "))}</summary>`,
    ...(text === "" ? [] : ["<result>", escapeNotice(text).replace(/^/gm, "  "), "</result>"]),
    ...(note === null ? [] : ["<note>", escapeNotice(note), "</note>"]),
    "</task-notification>",
  ].join("\n");
}

/** A command's own text must not pass for the runtime's: no tag of Troupe in it is one. */
export function escapeNotice(text: string): string {
  return escapeTags(text).replace(
    /<(?=\s*\/?\s*(?:task-id|output-file|status|summary|result|note)\b)/gi,
    "&lt;",
  );
}
