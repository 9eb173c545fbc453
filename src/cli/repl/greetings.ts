import { troupeVersion } from "../../lib/version.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import type { SessionSetup } from "../session-setup.ts";
import type { ReplSession } from "./repl-session.ts";
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
export function farewell(terminal: Terminal, session: ReplSession, place: ConversationPlace): void {
  const account = session.usage();
  if (account.agents.length === 0) return;
  terminal.gap();
  for (const line of conversationLines(account, session.unfinished(), session.tasks.list(), place))
    for (const row of wrapText(line, terminal.columns())) terminal.print(terminal.paint("dim", row));
}
