import { withoutHookWords } from "../../features/hooks/hook-words.ts";
import type { ActorAtRest } from "../../journal/session-state.ts";
import type { MessageParam } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { conversationOf } from "../../mailbox/turns.ts";
import type { ResumableSession } from "../../session/resume-session.ts";
import { counted } from "../../terminal/figures.ts";
import { safeText } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { unfinishedText } from "../unfinished.ts";
import { isUserText, messageText, userText } from "../user-text.ts";
import type { ReplSession } from "./repl-session.ts";
import type { Terminal } from "./terminal.ts";

/** Rows of the last prompt and reply to show again, as a reminder. */
const PROMPT_ROWS = 6;
const REPLY_ROWS = 16;

/** Shows the last exchange of a resumed session and what continues now. */
export function showResumed(
  { paint, print, gap, columns, replyRows }: Terminal,
  restored: ResumableSession,
  unfinished: ReturnType<ReplSession["unfinished"]>,
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
    const said = last.said.trim();
    if (said !== "") print(lastOf(replyRows(said), REPLY_ROWS, (words) => paint("dim", words)).join("\n"));
  }
  const { main: isMain, agents } = unfinished;
  const who = unfinishedText({ main: isMain, agents: agents.length });
  const words = `Resuming session ${restored.id}: ${who === null ? "nothing was" : who} cut off.`;
  gap();
  print(paint("dim", wrapText(words, columns()).join("\n")));
}

/** Returns the reply that `showResumed` shows, or an empty text. */
export function lastReply(restored: ResumableSession): string {
  return lastOfMain(restored)?.said ?? "";
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

/** The user's last prompt and the text replied to it. */
interface LastExchange {
  readonly prompt: string;
  /** Empty if there is no text yet. */
  readonly said: string;
}

/** Returns null if there was no prompt. */
export function lastExchange({
  spec,
  turns,
  reply,
  unheard,
}: Pick<ActorAtRest, "spec" | "turns" | "reply" | "unheard">): LastExchange | null {
  const messages = conversationOf(spec.messages, turns);
  const heard: MessageParam[] = (reply?.heard ?? []).map(({ text }) => ({ role: "user", content: text }));
  const all = [...messages, ...heard];
  if (reply !== null) all.push({ role: "assistant", content: reply.content });
  const owed = unheard.map(({ text }) => withoutHookWords(text)).filter(isUserText);
  const last = owed.at(-1);
  if (last !== undefined && !heard.some((message) => userText(message) === last))
    return { prompt: last, said: "" };
  const at = all.findLastIndex((message) => message.role === "user" && userText(message) !== "");
  const asked = all[at];
  if (asked === undefined) return null;
  const said = all.slice(at + 1).filter(({ role }) => role === "assistant");
  return { prompt: userText(asked), said: said.map(messageText).filter(Boolean).at(-1) ?? "" };
}
