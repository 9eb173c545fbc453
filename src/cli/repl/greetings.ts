import { safeLine } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import type { SessionSetup } from "../session-setup.ts";
import { troupeVersion } from "../version.ts";
import type { ReplSession } from "./repl-session.ts";
import type { Terminal } from "./terminal.ts";
import { conversationLines } from "./turn-account.ts";

/** Says what this conversation is with, and what the user must know of it. */
export function welcome(
  { paint, print, columns }: Terminal,
  { options, notes }: SessionSetup,
  problems: readonly string[],
): void {
  const model = options.source.provider === "offline" ? "offline model" : (options.model ?? "sonnet");
  const parts = [model, safeLine(options.cwd), ...(options.permissionMode ? [options.permissionMode] : [])];
  print(`${paint("bold", `troupe ${troupeVersion()}`)} ${paint("dim", `· ${parts.join(" · ")}`)}`);
  const hint = "/help lists the commands; Ctrl-C stops a turn, Ctrl-D leaves.";
  print(paint("dim", wrapText(hint, columns()).join("\n")));
  for (const note of [...notes, ...problems])
    print(paint("yellow", wrapText(safeLine(note), columns()).join("\n")));
}

/** Shows nothing if there was no prompt. */
export function farewell(
  terminal: Terminal,
  session: ReplSession,
  { cwd, here }: { readonly cwd: string; readonly here: string },
): void {
  const account = session.usage();
  if (account.agents.length === 0) return;
  terminal.gap();
  for (const line of conversationLines(account, session.unfinished(), session.tasks.list(), [cwd, here]))
    terminal.print(terminal.paint("dim", line));
}
