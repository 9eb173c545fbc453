import type { SupervisorEvent } from "../../events/event.ts";
import { eventsOf, type PastConversation } from "../../features/events/journal-events.ts";
import { troupeVersion } from "../../lib/version.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { ResumableSession } from "../../session/resume-session.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { counted } from "../../terminal/figures.ts";
import { safeLine, safeText } from "../../terminal/safe-text.ts";
import { createCallLines } from "../../terminal/transcript/call-lines.ts";
import { wrapText } from "../../terminal/wrap.ts";
import type { SessionSetup } from "../session-setup.ts";
import { unfinishedText } from "../unfinished.ts";
import { messageText, userText } from "../user-text.ts";
import type { Terminal } from "./terminal.ts";
import { type ConversationPlace, conversationLines } from "./turn-account.ts";

/** Says what this conversation is with, and what the user must know of it. */
export function welcome(
  { paint, print, columns }: Terminal,
  { options, notes }: SessionSetup,
  problems: readonly string[],
): void {
  const model = options.source.provider === "offline" ? "offline model" : (options.model ?? "sonnet");
  const parts = [model, safeLine(options.cwd), ...(options.permissionMode ? [options.permissionMode] : [])];
  const name = `troupe ${troupeVersion()}`;
  const show = (words: string, colour: "dim" | "yellow") => {
    for (const row of wrapText(words, columns())) {
      const bold = row.startsWith(name) ? name : "";
      print(`${bold && paint("bold", bold)}${paint(colour, row.slice(bold.length))}`);
    }
  };
  show(`${name} · ${parts.join(" · ")}`, "dim");
  show("/help lists the commands; Ctrl-C stops a turn, Ctrl-D leaves.", "dim");
  for (const note of [...notes, ...problems]) show(safeLine(note), "yellow");
}

/** Shows nothing if there was no prompt. */
export function farewell(terminal: Terminal, session: SupervisorHandle, place: ConversationPlace): void {
  const account = session.usage();
  if (account.agents.length === 0) return;
  terminal.gap();
  for (const line of conversationLines(account, session.unfinished(), session.tasks.list(), place))
    for (const row of wrapText(line, terminal.columns())) terminal.print(terminal.paint("dim", row));
}

/** Rows of the last prompt and reply to show again, as a reminder. */
const PROMPT_ROWS = 6;
const REPLY_ROWS = 16;

/** Shows the last exchange of a resumed session and what continues now. */
export function showResumed(
  { paint, print, gap, columns, replyRows }: Terminal,
  restored: ResumableSession,
  unfinished: ReturnType<SupervisorHandle["unfinished"]>,
): void {
  const last = lastOfMain(restored);
  if (last !== null) {
    const prompt = wrapText(safeText(last.prompt), columns() - 2);
    gap();
    print(
      firstOf(prompt, PROMPT_ROWS)
        .map((row, index) => paint("bold", `${index === 0 ? "› " : "  "}${row}`))
        .join("\n"),
    );
    gap();
    const calls = createCallLines(paint, () => 0, true);
    const rows = last.since.flatMap((event) => {
      if (event.type === "call-begin" || event.type === "call-end") return calls.onEvent(event, columns());
      const said = saidIn(event);
      return said === "" ? [] : replyRows(said);
    });
    if (rows.length > 0) print(lastOf(rows, REPLY_ROWS, (words) => paint("dim", words)).join("\n"));
  }
  const who = unfinishedText(unfinished);
  const words = `Resuming session ${restored.id}: ${who === null ? "nothing was" : who} cut off.`;
  gap();
  print(paint("dim", wrapText(words, columns()).join("\n")));
}

/** Returns the reply that `showResumed` shows, or an empty text. */
export function lastReply(restored: ResumableSession): string {
  return lastOfMain(restored)?.since.map(saidIn).filter(Boolean).join("\n\n") ?? "";
}

function lastOfMain({ state }: ResumableSession): LastExchange | null {
  const main = state.actors.get(MAIN);
  return main === undefined ? null : lastExchange(main);
}

function firstOf(rows: readonly string[], most: number): readonly string[] {
  return rows.length <= most ? rows : [...rows.slice(0, most - 1), "…"];
}

function lastOf(rows: readonly string[], most: number, dim: (words: string) => string): readonly string[] {
  const left = rows.length - most;
  return left <= 0 ? rows : [dim(`… ${counted(left, "line")} before`), ...rows.slice(left)];
}

/** The user's last prompt, and what came after it. */
interface LastExchange {
  readonly prompt: string;
  readonly since: readonly SupervisorEvent[];
}

/** Returns null if there was no prompt. */
export function lastExchange(past: PastConversation): LastExchange | null {
  const events = eventsOf(past);
  const at = events.findLastIndex((event) => promptIn(event) !== "");
  const last = events[at];
  return last === undefined ? null : { prompt: promptIn(last), since: events.slice(at + 1) };
}

/** A line that no turn has read is one, too. */
function promptIn(event: SupervisorEvent): string {
  if (event.type === "prompt") return event.notice ? "" : userText(event);
  return event.type === "queued" && event.state === "waits" ? userText({ content: event.text }) : "";
}

function saidIn(event: SupervisorEvent): string {
  return event.type === "message" && event.role === "assistant" ? messageText(event) : "";
}
